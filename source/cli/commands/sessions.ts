import type {Command} from 'commander';
import {messageNoun, sessionActs, sessionNoun} from '../../nouns/session/session.ts';
import type {Context} from '../console/context.ts';
import {numberOption, jsonOption, type Json} from '../console/options.ts';
import {openHome} from '../home/open-home.ts';
import {addActs} from '../nouns/act-commands.ts';
import {addShow, printList} from '../nouns/noun-commands.ts';

type Flags = Json & {readonly limit: number};

const limit = numberOption(1, 1000);

/** `svc sessions list|show|search|delete`. @see manual/chat-api.md#sessions */
export function addSessionCommands(program: Command, context: Context): void {
	const group = program
		.command('sessions')
		.description(
			'conversations that are kept: of the chat API, of the interface, of chats on platforms',
		);
	group
		.command('list')
		.description('list sessions, last used first')
		.option('--limit <n>', 'at most this many (1 to 1000)', limit, 50)
		.option(...jsonOption)
		.action(async ({json = false, ...filter}: Flags) => {
			await using home = await openHome(context, 'read');
			const items = await home.listSessions(filter);
			await printList(context, sessionNoun, {items, json});
		});
	addShow(group, context, {
		noun: sessionNoun,
		says: 'show the messages of a session',
		async read(id) {
			await using home = await openHome(context, 'read');
			const item = await home.getSession(id);
			return item && {item};
		},
	});
	group
		.command('search')
		.description(
			'find messages that have, for each of these words, a word that begins with it; newest first',
		)
		.argument('<words...>', 'what to look for')
		.option('--limit <n>', 'at most this many (1 to 1000)', limit, 50)
		.option(...jsonOption)
		.action(async (words: readonly string[], {json = false, ...more}: Flags) => {
			await using home = await openHome(context, 'read');
			const items = await home.searchSessions({text: words.join(' '), ...more});
			await printList(context, messageNoun, {items, json});
		});
	addActs(group, context, {
		noun: sessionNoun,
		acts: sessionActs,
		open: async () => openHome(context, 'write'),
	});
}
