import type {Command} from 'commander';
import {platformNoun} from '../../nouns/platform/platform.ts';
import type {Context} from '../console/context.ts';
import {jsonOption, loads} from '../console/options.ts';
import {addList, addShow} from '../nouns/noun-commands.ts';

/** `svc platforms list|show|test`. @see manual/delivery.md#platforms */
export function addPlatformCommands(program: Command, context: Context): void {
	const group = program.command('platforms').description('messaging platforms that answers go to');
	const read = async (only?: string) =>
		(await import('../home/platforms-now.ts')).listPlatforms(context, only);
	addList(group, context, {
		noun: platformNoun,
		says: 'list platforms with their states; without a gateway each enabled one is asked now',
		read: async () => read(),
	});
	addShow(group, context, {
		noun: platformNoun,
		says: 'show the state of one platform, and how to set it up',
		async read(name) {
			const item = (await read(name)).find(one => one.name === name);
			return item && {item};
		},
	});
	group
		.command('test <name>')
		.description('send a message to a platform')
		.option('--chat-id <chat>', 'the chat; else home_channel')
		.option('--thread-id <thread>', 'its topic or thread')
		.option(...jsonOption)
		.action(loads(context, async () => (await import('../home/platforms-now.ts')).testPlatform));
}
