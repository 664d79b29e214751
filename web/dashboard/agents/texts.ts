import type { AgentId } from '../../../src/dashboard/agents/event.ts';
import type { AgentReport, AgentStatus } from '../../../src/dashboard/contract/agents.ts';
import type { View } from '../../../src/dashboard/domain/view.ts';
import type { Notice } from '../notice/notices.ts';
import type { Ui } from '../shell/ui.ts';

const NAMES: Readonly<Record<AgentId, string>> = { claude: 'Claude Code', codex: 'Codex', gemini: 'Gemini CLI' };

export const agentName = ({ agent }: AgentReport): string => NAMES[agent];

/** The date of the price table in words; empty: a table without a date. */
export function priceDate({ prices }: AgentStatus, { format }: Ui): string {
  if (prices.asOf === null) return '';
  return new Intl.DateTimeFormat(format.locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(
    Date.parse(prices.asOf),
  );
}

/** What the shown costs are, if any of them is an estimate. */
export function estimateText({ counts }: View, status: AgentStatus | undefined, ui: Ui): string | undefined {
  if (counts.estimated === 0 || !status) return undefined;
  const date = priceDate(status, ui);
  const isPart = counts.estimated < counts.selected;
  if (date === '') return ui.t(isPart ? 'estimate.part-undated' : 'estimate.undated');
  return ui.t(isPart ? 'estimate.part' : 'estimate', { date });
}

/** Names the models without a price; undefined: all have one. */
export function priceNotice(models: readonly string[], { t }: Ui): Notice | undefined {
  if (models.length === 0) return undefined;
  const title = t('logs.unknown', { n: models.length, models: models.slice(0, MAX_MODELS).join(', ') });
  return { tone: 'info', title, text: t('logs.unknown-text'), canClose: true };
}

const MAX_MODELS = 5;
