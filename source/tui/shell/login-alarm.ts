import type {Run} from '../../core/run.ts';
import type {GatewayState} from '../../core/state.ts';
import {needsServer} from '../../core/toolset-names.ts';
import type {Safe} from '../../core/untrusted.ts';
import {serverName} from '../../nouns/server/server.ts';
import {clip} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {clean} from '../lines/line.ts';

const maxNameCells = 32;

/** Names the tool server that wants a login while runs wait for it, or agents are at work that would have its tools: those do without. A run whose route names other toolsets is not among them. `undefined`: none. */
export function loginAlarm({
	servers,
	runs,
	routes,
}: Pick<GatewayState, 'servers' | 'runs' | 'routes'>): Safe | undefined {
	const wanting = servers.filter(({status}) => status === 'needs login');
	if (wanting.length === 0) {
		return undefined;
	}

	const mayWant = ({route, profile}: Run, server: string): boolean =>
		needsServer(
			routes.find(one => one.name === route && one.profile === profile)?.toolsets,
			server,
		);
	const [first, ...others] = wanting
		.map(server => {
			const own = runs.filter(({profile}) => profile === server.profile);
			return {
				server,
				waiting: own.filter(({awaitsLogins}) => awaitsLogins?.includes(server.name)).length,
				working: own.filter(run => run.state === 'running' && mayWant(run, server.name)).length,
			};
		})
		.filter(({waiting, working}) => waiting + working > 0)
		.toSorted((a, b) => b.waiting - a.waiting);
	if (!first) {
		return undefined;
	}

	const {server, waiting, working} = first;
	const more = others.length > 0 ? ` (+${others.length})` : '';
	const what =
		waiting > 0
			? safe`${waiting} ${waiting === 1 ? literal('run waits') : literal('runs wait')} for it`
			: safe`${working} ${working === 1 ? literal('run is') : literal('runs are')} under way without it`;
	return safe`! ${clip(clean(serverName(server)), maxNameCells)}${clean(more)} needs a login: ${what} · see Logins`;
}
