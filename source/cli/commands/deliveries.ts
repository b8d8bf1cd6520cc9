import type {Command} from 'commander';
import type {Delivery, StoredDelivery} from '../../core/delivery.ts';
import {SvcError} from '../../core/errors.ts';
import type {Context} from '../context.ts';
import {openRecords, requireGateway} from '../gateway-access.ts';
import {numberOption} from '../options.ts';
import {printableTime, printJson, printLines, printTable} from '../print.ts';

/** `svc deliveries list|show|replay`. */
export function addDeliveryCommands(program: Command, context: Context): void {
	const group = program.command('deliveries').description('inbound events and what became of them');

	group
		.command('list')
		.description('list deliveries, newest first')
		.option('--route <name>', 'only this route')
		.option('--before <id>', 'older than this delivery')
		.option('--limit <n>', 'at most this many (1 to 1000)', numberOption(1, 1000), 50)
		.option('--json', 'print JSON')
		.action(async (options: {route?: string; before?: string; limit: number; json?: boolean}) => {
			await using records = await openRecords(context);
			const {json, ...filter} = options;
			const deliveries = await records.deliveries.list(filter);
			if (json) {
				printJson(context, deliveries);
				return;
			}

			await printTable(context, {
				header: ['ID', 'TIME', 'ROUTE', 'EVENT', 'RESULT', 'MS', 'RUN'],
				rows: deliveries.map(delivery => [
					delivery.id,
					printableTime(delivery.receivedAt),
					delivery.route,
					delivery.event,
					`${delivery.status} ${delivery.outcome}`,
					String(Math.round(delivery.durationMs)),
					delivery.runId === undefined ? '' : `#${delivery.runId}`,
				]),
				empty: 'No deliveries yet: send one with "svc webhook test NAME"',
			});
		});

	group
		.command('show')
		.description('show one delivery: its decision, headers and body')
		.argument('<id>', 'identifier, or at least its last four characters')
		.option('--json', 'print JSON (the body as text under "body")')
		.action(async (id: string, {json}: {json?: boolean}) => {
			await using records = await openRecords(context);
			const delivery = await records.deliveries.get(id);
			if (!delivery) {
				throw new SvcError(
					'delivery_not_found',
					`Cannot find delivery "${id}": see "svc deliveries list"`,
				);
			}

			if (json) {
				const {body, ...rest} = delivery;
				printJson(context, {...rest, ...(body && {body: textOf(body)})});
			} else {
				printLines(context, describe(delivery));
			}
		});

	group
		.command('replay')
		.description('send a stored delivery through the pipeline again')
		.argument('<id>', 'identifier, or at least its last four characters')
		.option('--yes', 'do not ask to confirm what it will do')
		.action(async (id: string, {yes}: {yes?: boolean}) => {
			const gateway = await requireGateway(context);
			const plan = await gateway.planReplay(id);
			if (plan.needsConfirmation && !yes) {
				throw new SvcError(
					'confirmation_needed',
					`Not replayed. It would do this: ${plan.effects.join('; ')}. Add --yes to do it`,
				);
			}

			const {status, body} = await gateway.replay(id);
			printLines(context, [`${status} ${body}`]);
			context.exit(status < 400 ? 0 : 1);
		});
}

const marks: Readonly<Record<Delivery['trace'][number]['verdict'], string>> = {
	pass: '✓',
	stop: '✗',
	skip: '-',
};

function describe(delivery: StoredDelivery): readonly string[] {
	const {id, route, event, status, outcome, trace, headers, body} = delivery;
	return [
		`${id}  ${route}  ${event}  ${status} ${outcome}`,
		`received     ${printableTime(delivery.receivedAt)}, answered in ${delivery.durationMs.toFixed(1)} ms`,
		`delivery id  ${delivery.deliveryId} (${delivery.idSource})`,
		...(delivery.replayOf ? [`replay of    ${delivery.replayOf}`] : []),
		...(delivery.runId === undefined
			? []
			: [`run          #${delivery.runId} (svc runs show ${delivery.runId})`]),
		'',
		'decision',
		...trace.map(({step, verdict, detail}) => `  ${marks[verdict]} ${step.padEnd(10)} ${detail}`),
		'',
		'headers',
		...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`),
		'',
		`body (${delivery.bodyBytes} bytes)`,
		body ? textOf(body) : '(not kept)',
	];
}

function textOf(body: Uint8Array): string {
	const text = Buffer.from(body).toString('utf8');
	try {
		return JSON.stringify(JSON.parse(text), null, 2);
	} catch {
		return text;
	}
}
