import type { ProjectMarker } from '../../../src/dashboard/domain/marker/marker.ts';
import type { Translate } from '../text/translate.ts';

export const projectText = (marker: ProjectMarker, t: Translate): string => marker.project || t('marker.nameless');

export const userText = (user: string, t: Translate): string => (user === 'all' ? t('user.all-long') : user);
