import type {Command} from 'commander';
import {chatNoun, writerActs, writerNoun} from '../../nouns/chat/chat.ts';
import type {Context} from '../console/context.ts';
import {openHome} from '../home/open-home.ts';
import {addActs} from '../nouns/act-commands.ts';
import {addList, addShow} from '../nouns/noun-commands.ts';

/** `svc chats list|show|allow`. @see manual/conversations.md */
export function addChatCommands(program: Command, context: Context): void {
	const group = program
		.command('chats')
		.description(
			'people who write to the agent on messaging platforms; your own chat with it is "svc talk"',
		);
	addList(group, context, {
		noun: writerNoun,
		says: 'list who wrote, in which chat, and whether they may talk with the agent; newest first',
		async read() {
			await using home = await openHome(context, 'read');
			return await home.listChats();
		},
	});
	addShow(group, context, {
		noun: chatNoun,
		says: 'show the people of a chat, its sessions and the turns that have not ended',
		async read(name) {
			await using home = await openHome(context, 'read');
			const item = await home.getChat(name);
			return item && {item};
		},
	});
	addActs(group, context, {
		noun: writerNoun,
		acts: writerActs,
		async open() {
			const {openPeople} = await import('../home/people.ts');
			return openPeople(context);
		},
	});
}
