import {selectTools} from '../../agent/toolsets.ts';
import type {Context} from '../console/context.ts';
import {printTable} from '../console/print-table.ts';
import {printJson, tell} from '../console/print.ts';
import {findServers, inFileOrder, type ListedServer} from './find-servers.ts';

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

	await printTable(context, {
		header: ['NAME', 'PROFILE', 'STATUS', 'TOOLS', 'ASK', 'TRUST', 'TRANSPORT', 'ENDPOINT'],
		rows: servers.map(server => [
			server.name,
			server.profile,
			server.status,
			String(server.tools.length),
			String(askingIn(server)),
			server.trust,
			server.transport,
			server.endpoint,
		]),
		below: servers.map(({reason}) => reason),
		empty: 'No tool servers yet: add one with "svc mcp add"',
		whole: ['NAME', 'STATUS'],
		optional: ['TRANSPORT', 'PROFILE'],
	});
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

const askingIn = ({tools}: ListedServer): number => tools.filter(({asks}) => asks).length;
