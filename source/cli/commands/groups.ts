import {type Command, Option} from 'commander';
import {SvcError} from '../../core/errors.ts';
import type {Context} from '../console/context.ts';
import {numberOption} from '../console/options.ts';
import {printTable} from '../console/print-table.ts';
import {printJson, printLines} from '../console/print.ts';
import {describeGroup, groupTable} from '../groups/describe-group.ts';
import {requireGateway} from '../home/gateway-access.ts';
import {openHome} from '../home/open-home.ts';

const oneGroup = numberOption(1, Number.MAX_SAFE_INTEGER);

const states = ['pending', 'dispatched'] as const;

/** `svc groups list|show|dispatch`. @see manual/routes.md#coalescing */
export function addGroupCommands(program: Command, context: Context): void {
	const group = program
		.command('groups')
		.description('events of one entity that wait together and become one run');

	group
		.command('list')
		.description(
			'list groups: pending ones by when they are due, then dispatched ones, newest first',
		)
		.addOption(new Option('--state <state>', 'only these').choices(states))
		.option('--limit <n>', 'at most this many (1 to 5000)', numberOption(1, 5000), 50)
		.option('--json', 'print JSON')
		.action(
			async ({
				json,
				...filter
			}: {
				state?: (typeof states)[number];
				limit: number;
				json?: boolean;
			}) => {
				await using home = await openHome(context, 'read');
				const groups = await home.listGroups(filter);
				if (json) {
					printJson(context, groups);
				} else {
					await printTable(context, groupTable(groups, context.clock.now()));
				}
			},
		);

	group
		.command('show')
		.description('show one group with its events')
		.argument('<group>', 'number of the group', oneGroup)
		.option('--json', 'print JSON')
		.action(async (id: number, {json}: {json?: boolean}) => {
			await using home = await openHome(context, 'read');
			const found = await home.getGroup(id);
			if (!found) {
				throw notFound(id);
			}

			if (json) {
				printJson(context, found);
			} else {
				printLines(context, describeGroup(found, context.clock.now()));
			}
		});

	group
		.command('dispatch')
		.description('start the run of a pending group now')
		.argument('<group>', 'number of the group', oneGroup)
		.option('--json', 'print JSON')
		.action(async (id: number, {json}: {json?: boolean}) => {
			const gateway = await requireGateway(context);
			if (!(await gateway.dispatchGroup(id))) {
				const known = await gateway.getGroup(id);
				throw known
					? new SvcError(
							'group_dispatched',
							`Cannot dispatch group ${id}: it is not pending any more${known.runId === undefined ? '' : `, see "svc runs show ${known.runId}"`}`,
						)
					: notFound(id);
			}

			const runId = (await gateway.getGroup(id))?.runId;
			if (json) {
				printJson(context, {group: id, ...(runId !== undefined && {run: runId})});
			} else {
				printLines(context, [
					`Group ${id} is dispatched${runId === undefined ? '' : ` as run ${runId}`}`,
				]);
			}
		});
}

const notFound = (id: number): SvcError =>
	new SvcError('group_not_found', `Cannot find group ${id}: see "svc groups list"`);
