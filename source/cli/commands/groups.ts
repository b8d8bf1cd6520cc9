import {type Command, Option} from 'commander';
import type {Group} from '../../core/group.ts';
import {groupActs, type GroupPort} from '../../nouns/group/group-acts.ts';
import {groupNoun} from '../../nouns/group/group.ts';
import type {Context} from '../console/context.ts';
import {numberOption, jsonOption, type Json} from '../console/options.ts';
import {gatewayAsPort} from '../home/gateway-access.ts';
import {openHome} from '../home/open-home.ts';
import {addActs} from '../nouns/act-commands.ts';
import {addShow, printList} from '../nouns/noun-commands.ts';

const states = ['pending', 'dispatched'] as const;

type Flags = Json & {readonly state?: (typeof states)[number]; readonly limit: number};

/** `svc groups list|show|dispatch`. @see manual/routes.md#coalescing */
export function addGroupCommands(program: Command, context: Context): void {
	const group = program
		.command('groups')
		.description('events of one entity that wait together and become one run');

	group
		.command('list')
		.description('list groups: pending ones by due time, then dispatched ones, newest first')
		.addOption(new Option('--state <state>', 'only these').choices(states))
		.option('--limit <n>', 'at most this many (1 to 5000)', numberOption(1, 5000), 50)
		.option(...jsonOption)
		.action(async ({json = false, ...filter}: Flags) => {
			await using home = await openHome(context, 'read');
			const items = await home.listGroups(filter);
			await printList(context, groupNoun, {items, json});
		});

	addShow(group, context, {
		noun: groupNoun,
		says: 'show one group with its events',
		async read(id) {
			await using home = await openHome(context, 'read');
			const stored = await home.getGroup(Number(id));
			return stored && {item: stored, known: {stored}};
		},
	});
	addActs<Group, GroupPort, never>(group, context, {
		noun: groupNoun,
		acts: groupActs,
		open: async () => gatewayAsPort(context),
	});
}
