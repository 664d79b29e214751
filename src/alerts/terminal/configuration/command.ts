import type { Command } from 'commander';
import type { Terminal } from '../../../kernel/terminal/terminal.ts';
import { addConnectionOptions, addOutputOptions, gather } from '../data-options.ts';
import type { CheckConfigOptions } from './check-config.ts';
import type { RenderTemplateOptions } from './render-template.ts';
import type { RoutesOptions, TestRoutesOptions } from './routes.ts';
import type { TestReceiverOptions } from './test-receiver.ts';

const EXPAND_ENV: [flags: string, description: string] = [
  '--config.expand-env',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as users write it.
  'replace ${NAME} in values of the file by the variable of that name',
];

function addCheckConfigCommand(alerts: Command, terminal: Terminal): void {
  alerts
    .command('check-config')
    .description('check configuration files and their templates, and print all problems of each')
    .argument('[files...]', 'alertmanager.yml and the like; - reads standard input')
    .option(...EXPAND_ENV)
    .addHelpText(
      'after',
      `
Without files it checks what is piped in, or else what alerts serve would load here. Ends with 1 when a file or a template
cannot be used. Templates that do not exist are no fault.

Examples:
  opsdeck alerts check-config
  opsdeck alerts check-config alertmanager.yml
  opsdeck alerts check-config *.yml
  envsubst < alertmanager.yml.in | opsdeck alerts check-config`,
    )
    .action(async (files: string[], options: CheckConfigOptions) => {
      const { checkConfig } = await import('./check-config.ts');
      await checkConfig(files, options, terminal);
    });
}

function addRouteOptions(command: Command): Command {
  return addConnectionOptions(
    command.option('--config.file <file>', 'read this file instead of asking a server').option(...EXPAND_ENV),
  );
}

function addRoutesCommands(alerts: Command, terminal: Terminal): void {
  const routes = alerts
    .command('routes')
    .description('draw the routing tree, and test which receivers an alert would reach');
  addRouteOptions(
    routes.command('show', { isDefault: true }).description('draw the routing tree of a file or of a server'),
  )
    .addHelpText(
      'after',
      `
Examples:
  opsdeck alerts routes show --config.file alertmanager.yml
  opsdeck alerts routes show --url http://localhost:9093`,
    )
    .action(async (options: RoutesOptions) => {
      const { showRoutes } = await import('./routes.ts');
      await showRoutes(options, terminal);
    });
  addRouteOptions(
    routes
      .command('test')
      .description('print the receivers of an alert, in the order of the tree')
      .argument('[labels...]', 'name=value; a first word without = is the alertname')
      .option('--tree', 'draw the routes that it takes as well')
      .option('--verify.receivers <names>', 'end with 1 unless these are its receivers, with commas between'),
  )
    .addHelpText(
      'after',
      `
Examples:
  opsdeck alerts routes test --config.file alertmanager.yml severity=critical team=db
  opsdeck alerts routes test --config.file alertmanager.yml --tree DiskFull instance=db1
  opsdeck alerts routes test --config.file alertmanager.yml --verify.receivers=team-db,audit service=database`,
    )
    .action(async (labels: string[], options: TestRoutesOptions) => {
      const { testRoutes } = await import('./routes.ts');
      await testRoutes(labels, options, terminal);
    });
}

function addTemplateCommands(alerts: Command, terminal: Terminal): void {
  const template = alerts.command('template').description('try templates');
  template
    .command('render')
    .description('render a template text, with what the given files define')
    .option('--template.glob <pattern>', 'template files, such as /etc/alertmanager/*.tmpl; may be repeated', gather)
    .requiredOption('--template.text <text>', 'what to render, such as {{ template "slack.default.text" . }}')
    .addOption(
      template
        .createOption('--template.type <type>', 'html escapes what data brings in')
        .choices(['text', 'html'])
        .default('text'),
    )
    .option(
      '--template.data <file>',
      'JSON as a webhook gets it (default: a sample of two alerts); - reads standard input',
    )
    .addHelpText(
      'after',
      `
Examples:
  opsdeck alerts template render --template.text '{{ template "__subject" . }}'
  opsdeck alerts template render --template.glob 'templates/*.tmpl' --template.text '{{ template "slack.team.title" . }}'
  opsdeck alerts template render --template.glob '*.tmpl' --template.type html --template.data webhook.json \\
    --template.text '{{ template "email.team.html" . }}'`,
    )
    .action(async (options: RenderTemplateOptions) => {
      const { renderTemplate } = await import('./render-template.ts');
      await renderTemplate(options, terminal);
    });
}

function addTestReceiverCommand(alerts: Command, terminal: Terminal): void {
  addOutputOptions(
    alerts
      .command('test-receiver')
      .description('send a drill through every integration of a receiver, and show requests and answers')
      .argument('<name>', 'the receiver')
      .argument('[labels...]', 'labels of the alert in the place of or beside those of the drill, as name=value'),
  )
    .option('--annotation <name=value>', 'an annotation; may be repeated', gather)
    .option('--config.file <file>', 'the configuration', 'alertmanager.yml')
    .option(...EXPAND_ENV)
    .option('--dry-run', 'send nothing: show what would be sent')
    .option('--resolved', 'send the resolved notification of the drill')
    .option('--web.external-url <url>', 'the URL of the server for users; templates put it into links')
    .option('--timeout <duration>', 'how long to wait for each answer', '30s')
    .addHelpText(
      'after',
      `
Secrets are not shown, and of a URL that is one only the host. Ends with 1 when a delivery fails.

Examples:
  opsdeck alerts test-receiver team
  opsdeck alerts test-receiver team severity=critical --annotation summary="a drill" --config.file alertmanager.yml
  opsdeck alerts test-receiver team --dry-run
  opsdeck alerts test-receiver team --resolved`,
    )
    .action(async (name: string, labels: string[], options: TestReceiverOptions) => {
      const { testReceiver } = await import('./test-receiver.ts');
      await testReceiver(name, labels, options, terminal);
    });
}

/** Adds the commands for a configuration: check it, draw its routes, test its templates and receivers. */
export function addConfigurationCommands(alerts: Command, terminal: Terminal): void {
  addCheckConfigCommand(alerts, terminal);
  addRoutesCommands(alerts, terminal);
  addTemplateCommands(alerts, terminal);
  addTestReceiverCommand(alerts, terminal);
}
