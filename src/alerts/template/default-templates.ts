import common from './default/common.tmpl';
import email from './default/email.tmpl';
import integrations from './default/integrations.tmpl';

/** In the order of reading; errors name them so. */
export const DEFAULT_TEMPLATES: readonly { readonly name: string; readonly text: string }[] = [
  { name: 'common.tmpl', text: common },
  { name: 'integrations.tmpl', text: integrations },
  { name: 'email.tmpl', text: email },
];
