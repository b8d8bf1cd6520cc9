import type {GatewayState} from '../../core/state.ts';
import type {Safe} from '../../core/untrusted.ts';
import {clip} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {clean} from '../panes/line.ts';
import {serverName} from '../panes/tools/server-key.ts';

const maxNameCells = 32;

/** Names the tool server that wants a login while agents are at work for its profile: they do without its tools. `undefined`: none. */
export function loginAlarm({
	servers,
	runs,
}: Pick<GatewayState, 'servers' | 'runs'>): Safe | undefined {
	const wanting = servers.filter(({status}) => status === 'needs login');
	if (wanting.length === 0) {
		return undefined;
	}

	const working = runs.filter(({state}) => state === 'running');
	const [first, ...others] = wanting
		.map(server => ({
			server,
			count: working.filter(({profile}) => profile === server.profile).length,
		}))
		.filter(({count}) => count > 0);
	if (!first) {
		return undefined;
	}

	const more = others.length > 0 ? ` (+${others.length})` : '';
	const runsWord = first.count === 1 ? literal('run is') : literal('runs are');
	return safe`! ${clip(clean(serverName(first.server)), maxNameCells)}${clean(more)} needs a login: ${first.count} ${runsWord} under way without it · see Logins`;
}
