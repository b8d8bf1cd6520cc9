import {selectTools} from '../../agent/toolsets.ts';
import {askingIn, serverNoun, type ListedServer} from '../../nouns/server/server.ts';
import type {Context} from '../console/context.ts';
import {printJson, tell} from '../console/print.ts';
import {printList} from '../nouns/noun-commands.ts';
import {findServers, inFileOrder} from './find-servers.ts';

/** Lists the tool servers: where each stands, and how many tools it gives. @see manual/commands.md */
export async function listServers(
	context: Context,
	{json}: {readonly json: boolean},
): Promise<void> {
	const servers = await findServers(context);
	if (json) {
		printJson(context, servers.map(rowOf));
		return;
	}

	await printList(context, serverNoun, {items: servers, now: context.clock.now()});
	for (const profile of new Set(servers.map(server => server.profile))) {
		for (const warning of tooMany(
			context,
			servers.filter(server => server.profile === profile),
		)) {
			tell(context, profile === 'default' ? warning : `Profile "${profile}": ${warning}`);
		}
	}
}

/** What runs that have the tools of every server go without. */
const tooMany = (context: Context, servers: readonly ListedServer[]): readonly string[] =>
	selectTools(
		undefined,
		new Map(inFileOrder(context, servers).map(({name, tools}) => [name, tools])),
	).warnings;

const rowOf = (server: ListedServer) => ({
	...server,
	tools: server.tools.length,
	asks: askingIn(server),
	reason: server.reason ?? null,
});
