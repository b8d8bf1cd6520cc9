import {type Command, InvalidArgumentError, Option} from 'commander';
import type {RouteRotation} from '../../config/rotate-route.ts';
import type {RouteView} from '../../core/config-view.ts';
import {routeActs, type RotatedSecret} from '../../nouns/route/route-acts.ts';
import {routeKey, routeNoun} from '../../nouns/route/route.ts';
import type {Context} from '../console/context.ts';
import {
	keyValueOption,
	listOption,
	momentOption,
	numberOption,
	refuseUnknownCommand,
	secondsOption,
	wordOption,
	jsonOption,
	type Json,
	loads,
} from '../console/options.ts';
import {tell} from '../console/print.ts';
import {addActs} from '../nouns/act-commands.ts';
import type {RouteFiles} from '../webhook/route-files.ts';

const coalescing = ['coalesceKey', 'coalesceWindow', 'coalesceMaxWait'];

const overflowSays = 'events above rate_limit: code hosts never send a rejected event again';

/** A hook's number stays text: those of code hosts may exceed JavaScript's safe integers. */
const hookOption = (text: string): string => {
	if (!/^\d{1,20}$/.test(text)) {
		throw new InvalidArgumentError('Use the number of the webhook.');
	}

	return text;
};

/** `svc webhook subscribe|list|edit|remove|rename|pause|resume|test|rotate|recover|simulate`. @see manual/routes.md#dynamic-routes, manual/commands.md */
export function addWebhookCommands(program: Command, context: Context): void {
	const group = program.command('webhook').description('routes that receive webhooks');

	group
		.command('subscribe')
		.description(
			'create a dynamic route, or change the settings of an existing one that the flags name',
		)
		.argument('<name>', 'name of the route: a-z, 0-9, "_" and "-"')
		.option('--events <list>', 'event types to accept, separated by commas', listOption)
		.option('--prompt <template>', 'task of the agent; {a.b} are values of the payload')
		.option('--subject <template>', 'subject of an event in lists: {repository.full_name}#{number}')
		.option('--deliver <target>', 'target of the answer; svc help delivery lists them')
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
		.option('--cron-job <job>', 'scheduled job to fire: its identifier or its name')
		.option('--no-cron-job', 'fire no job any more')
		.option('--mirror-to-session', 'append the delivered text to the session of the chat')
		.option('--no-mirror-to-session', 'do not')
		.option('--filters-file <file>', 'JSON or YAML file with the filters')
		.option('--script <file>', 'filter or transform script in the scripts folder')
		.option(
			'--skills <list>',
			'skills, separated by commas; the first that is found is loaded',
			listOption,
		)
		.option(
			'--prefetch <list>',
			'what the gateway fetches before the agent starts: diff, that of the pull request; checkout, its files',
			listOption,
		)
		.option('--no-prefetch', 'fetch nothing any more')
		.option('--coalesce-key <key>', 'field or template that groups events')
		.option(
			'--coalesce-window <seconds>',
			'how long a group waits for another event',
			secondsOption,
		)
		.option('--coalesce-max-wait <seconds>', 'how long a group waits at most', secondsOption)
		.addOption(new Option('--no-coalesce', 'gather no events any more').conflicts(coalescing))
		.addOption(new Option('--overflow <what>', overflowSays).choices(['reject', 'queue']))
		.option('--secret <secret>', 'use this secret instead of a new random one')
		.option(...jsonOption)
		.action(loads(context, async () => (await import('../webhook/subscribe.ts')).subscribe));

	group
		.command('list')
		.description('list the routes; secrets are never shown')
		.option(...jsonOption)
		.action(loads(context, async () => (await import('../webhook/list-routes.ts')).listRoutes));

	addActs<RouteView, RouteFiles, RotatedSecret<RouteRotation>>(group, context, {
		noun: routeNoun,
		acts: routeActs(),
		idOf: name => routeKey({profile: 'default', source: 'dynamic', name}),
		options: {
			rotate: ['--secret <secret>', 'use this secret instead of a new random one'],
		},
		async open({secret}) {
			const {routeFiles} = await import('../webhook/route-files.ts');
			return routeFiles(context, typeof secret === 'string' ? secret : undefined);
		},
		async sayOnce(files, once, json) {
			files.sayRotated(once, json);
		},
	});

	group
		.command('rename')
		.description('give a route another name, and so another address; everything else stays')
		.argument('<name>', 'name of the route')
		.argument('<new-name>', 'the other name: a-z, 0-9, "_" and "-"')
		.option(...jsonOption)
		.action(async (from: string, name: string, flags: Json) => {
			const {renameRoute} = await import('../webhook/route-files.ts');
			await renameRoute(context, {from, name, ...flags});
		});

	group
		.command('test')
		.description('send a signed test event to a dynamic route through the HTTP port')
		.argument('<name>', 'name of the route')
		.option('--payload <json>', 'body to send')
		.option('--event <type>', 'event type to send', wordOption)
		.option(...jsonOption)
		.action(
			loads(
				context,
				async () => (await import('../webhook/test-subscription.ts')).testSubscription,
			),
		);

	group
		.command('edit')
		.description('edit a route in $EDITOR, or by questions; shows the difference, then asks')
		.argument('<name>', 'name of the route')
		.option('--editor', 'in $EDITOR, at the prompt of "svc --linear" too')
		.option('--no-editor', 'by questions, whatever $EDITOR says')
		.option('--yes', 'write it without asking')
		.option(...jsonOption)
		.action(loads(context, async () => (await import('../webhook/edit-route.ts')).editRouteByHand));

	group
		.command('recover')
		.description('fetch the events that the code host could not deliver, through its client')
		.argument('<name>', 'name of the route')
		.option(
			'--since <time>',
			'only events since then: 2h, 3d, or a date (default: 3d)',
			momentOption(context.clock),
		)
		.option('--repo <repository>', 'OWNER/NAME whose webhook feeds the route')
		.option('--hook <id>', 'number of the webhook, when several point here', hookOption)
		.option('--dry-run', 'only list them')
		.option('--yes', 'do not ask')
		.option(...jsonOption)
		.action(
			loads(context, async () => (await import('../recover/recover-events.ts')).recoverEvents),
		);

	group
		.command('simulate')
		.description('decide stored deliveries anew with other settings, and show the results')
		.argument('<name>', 'name of the route')
		.option('--last <n>', 'the newest deliveries (1 to 1000)', numberOption(1, 1000), 100)
		.option('--events <list>', 'accept these event types instead', listOption)
		.option('--filters-file <file>', 'JSON or YAML file with other filters')
		.option('--prompt <template>', 'another prompt')
		.addOption(new Option('--prompt-file <file>', 'file with another prompt').conflicts('prompt'))
		.option('--coalesce-key <key>', 'gather events by this field or template')
		.option('--coalesce-window <seconds>', 'how long a group waits for another', secondsOption)
		.option('--coalesce-max-wait <seconds>', 'how long a group waits at most', secondsOption)
		.option(...jsonOption)
		.action(loads(context, async () => (await import('../simulate/simulate.ts')).simulate));

	group.addHelpText(
		'after',
		'\nFlags that are absent leave what a route has; its secret stays until --secret.',
	);
	// After its subcommands, which inherit the setting.
	group.allowExcessArguments().action((_, command: Command) => {
		refuseUnknownCommand(command);
		tell(context, group.helpInformation());
		context.exit(2);
	});
}
