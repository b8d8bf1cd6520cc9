import {type Command, Option} from 'commander';
import {deliveryOutcomes} from '../../core/delivery.ts';
import {runStates} from '../../core/run.ts';
import {deliveryNoun, readableBody, rowOf} from '../../nouns/delivery/delivery.ts';
import type {Context} from '../console/context.ts';
import {filterHelp, momentOption, numberOption, jsonOption, loads} from '../console/options.ts';
import {requireDelivery} from '../deliveries/require-delivery.ts';
import {openHome} from '../home/open-home.ts';
import {addShow} from '../nouns/noun-commands.ts';

/** `svc deliveries list|show|replay|export|import`. */
export function addDeliveryCommands(program: Command, context: Context): void {
	const group = program.command('deliveries').description('inbound events and what became of them');
	const moment = momentOption(context.clock);

	group
		.command('list')
		.description('list deliveries, newest first')
		.option('--route <name>', 'only this route')
		.addOption(
			new Option('--outcome <outcome...>', 'only these outcomes').choices(deliveryOutcomes),
		)
		.addOption(
			new Option(
				'--dead',
				'only those whose run ended without success and waits for a person (failed, dead, interrupted, uncertain)',
			).conflicts('runState'),
		)
		.addOption(
			new Option(
				'--run-state <state...>',
				'only those whose run is in one of these states',
			).choices(runStates),
		)
		.option('--since <time>', 'only those since then: 2h, 3d, or a date', moment)
		.option('--before <id>', 'older than this delivery')
		.option('--filter <words>', filterHelp)
		.option('--limit <n>', 'at most this many (1 to 1000)', numberOption(1, 1000), 50)
		.option(...jsonOption)
		.action(
			loads(context, async () => (await import('../deliveries/list-deliveries.ts')).listDeliveries),
		);

	addShow(group, context, {
		noun: deliveryNoun,
		says: 'show one delivery: its decision, headers and body',
		async read(id) {
			await using home = await openHome(context, 'read');
			const stored = await requireDelivery(home, id);
			const run = stored.runId === undefined ? undefined : await home.getRun(stored.runId);
			return {
				item: rowOf(stored),
				known: {stored, runs: new Map(run && [[run.id, run]])},
				json: {...stored, body: readableBody(stored)},
			};
		},
	});

	group
		.command('replay')
		.description('send a stored delivery through the pipeline again; first says what that does')
		.argument('<id>', deliveryNoun.argumentSays)
		.option('--to <route>', 'to another route')
		.option('--edit', 'change the body first, in $VISUAL or $EDITOR')
		.addOption(
			new Option('--body-file <file>', 'send this body instead ("-": standard input)').conflicts(
				'edit',
			),
		)
		.option('--dry-run', 'only say what it would do')
		.option('--yes', 'do not ask to confirm what it will do')
		.option(...jsonOption)
		.action(loads(context, async () => (await import('../deliveries/replay.ts')).replayDelivery));

	group
		.command('export')
		.description('write deliveries as JSON Lines, oldest first, with headers and bodies')
		.option('--route <name>', 'only this route')
		.option('--since <time>', 'only those since then: 2h, 3d, or a date', moment)
		.option('--out <file>', 'to this file instead of standard output')
		.option('--force', 'replace an existing file')
		.action(loads(context, async () => (await import('../deliveries/export.ts')).exportDeliveries));

	group
		.command('import')
		.description('import the deliveries of an export into the journal; nothing runs')
		.argument('<file>', 'file that "svc deliveries export" wrote, or "-" for standard input')
		.option(...jsonOption)
		.action(
			loads(context, async () => (await import('../deliveries/import.ts')).importDeliveriesFile),
		);
}
