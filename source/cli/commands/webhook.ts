import type {Command} from 'commander';
import type {Context} from '../context.ts';
import {keyValueOption, listOption} from '../options.ts';
import {tell} from '../print.ts';
import type {SubscribeOptions} from '../webhook/subscribe.ts';

/** `svc webhook subscribe|list|remove|test`. @see Interface 2.11, 4.3 */
export function addWebhookCommands(program: Command, context: Context): void {
	const group = program.command('webhook').description('routes that receive webhooks');

	group
		.command('subscribe')
		.description('create a subscription, or change what the flags name of one that exists')
		.argument('<name>', 'name of the route: a-z, 0-9, "_" and "-"')
		.option('--events <list>', 'event types to accept, separated by commas', listOption)
		.option('--prompt <template>', 'what the agent is asked; {a.b} are values of the payload')
		.option('--deliver <target>', 'where the answer goes: log, forge_comment, email, …')
		.option('--deliver-chat-id <id>', 'chat or address for the target')
		.option(
			'--deliver-extra <key=value>',
			'another key for the target, such as repo or pr_number; repeatable',
			keyValueOption,
		)
		.option('--deliver-only', 'no agent: the rendered prompt is the message')
		.option('--no-deliver-only', 'with an agent again')
		.option('--description <text>', 'a word for people')
		.option('--route-profile <profile>', 'profile that may run the route')
		.option('--cron-job <job>', 'scheduled job to fire')
		.option('--mirror-to-session', 'append what was delivered to the session of the chat')
		.option('--no-mirror-to-session', 'do not')
		.option('--filters-file <file>', 'JSON or YAML file with the filters')
		.option('--script <file>', 'filter or transform script in the scripts folder')
		.option(
			'--skills <list>',
			'skills, separated by commas; the first that is found is loaded',
			listOption,
		)
		.option('--coalesce-key <key>', 'field or template that groups events')
		.option('--secret <secret>', 'use this secret instead of a new random one')
		.option('--json', 'print JSON')
		.action(async (name: string, options: SubscribeOptions) => {
			const {subscribe} = await import('../webhook/subscribe.ts');
			await subscribe(context, {name, options});
		});

	group
		.command('list')
		.description('list the routes; secrets are never shown')
		.option('--json', 'print JSON')
		.action(async ({json = false}: {json?: boolean}) => {
			const {listRoutes} = await import('../webhook/list-routes.ts');
			await listRoutes(context, {json});
		});

	group
		.command('remove')
		.description('remove a subscription')
		.argument('<name>', 'name of the route')
		.action(async (name: string) => {
			const {unsubscribe} = await import('../webhook/unsubscribe.ts');
			await unsubscribe(context, name);
		});

	group
		.command('test')
		.description('send a signed test event to a subscription through the HTTP port')
		.argument('<name>', 'name of the route')
		.option('--payload <json>', 'body to send')
		.option('--event <type>', 'event type to send')
		.option('--json', 'print JSON')
		.action(async (name: string, options: {payload?: string; event?: string; json?: boolean}) => {
			const {testSubscription} = await import('../webhook/test-subscription.ts');
			await testSubscription(context, {name, ...options});
		});

	group.addHelpText(
		'after',
		'\nFlags that are absent leave what a subscription has; its secret stays until --secret.',
	);
	group.action(() => {
		tell(context, group.helpInformation());
		context.exit(2);
	});
}
