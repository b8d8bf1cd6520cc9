import {type Command, Option} from 'commander';
import type {Context} from '../console/context.ts';
import {wordOption, loads} from '../console/options.ts';

/** `svc talk`. @see manual/chat.md */
export function addTalkCommand(program: Command, context: Context): void {
	program
		.command('talk')
		.description(
			'chat with the agent: one turn for a text or a pipe, else a conversation; for people on messaging platforms see "svc chats"',
		)
		.argument('[text...]', 'what to say; without it what is typed, or what comes through a pipe')
		.addOption(new Option('--new', 'begin a new session').conflicts('session'))
		.option('--session <session>', 'continue this session; default: the last one', wordOption)
		.option('--json', 'print JSON, for one turn')
		.action(loads(context, async () => (await import('../chat/talk.ts')).talk));
}
