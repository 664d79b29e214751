import { discordIntegration } from './discord.ts';
import { emailIntegration } from './email/email.ts';
import { incidentioIntegration } from './incidentio.ts';
import { jiraIntegration } from './jira/jira.ts';
import { mattermostIntegration } from './mattermost.ts';
import { msteamsIntegration } from './msteams.ts';
import { msteamsv2Integration } from './msteamsv2.ts';
import type { Integration } from './notifier.ts';
import { opsgenieIntegration } from './opsgenie.ts';
import { pagerdutyIntegration } from './pagerduty.ts';
import { pushoverIntegration } from './pushover.ts';
import { rocketchatIntegration } from './rocketchat.ts';
import { slackIntegration } from './slack/slack.ts';
import { snsIntegration } from './sns/sns.ts';
import { telegramIntegration } from './telegram.ts';
import { victoropsIntegration } from './victorops.ts';
import { webexIntegration } from './webex.ts';
import { webhookIntegration } from './webhook.ts';
import { wechatIntegration } from './wechat.ts';

/** All integrations, in the order in which those of a receiver run. */
export const INTEGRATIONS: readonly Integration[] = [
  webhookIntegration,
  emailIntegration,
  pagerdutyIntegration,
  opsgenieIntegration,
  wechatIntegration,
  slackIntegration,
  victoropsIntegration,
  pushoverIntegration,
  snsIntegration,
  telegramIntegration,
  discordIntegration,
  webexIntegration,
  msteamsIntegration,
  msteamsv2Integration,
  jiraIntegration,
  incidentioIntegration,
  rocketchatIntegration,
  mattermostIntegration,
];
