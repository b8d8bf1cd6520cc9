import type {ServerStatus, ServerView} from '../../../core/tool-server.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {clean} from '../line.ts';

/** What the states are called where they are counted, in this order. */
const counted: ReadonlyArray<readonly [string, ReadonlySet<ServerStatus>]> = [
	['connected', new Set(['connected'])],
	['connecting', new Set(['connecting'])],
	['lazy', new Set(['lazy'])],
	['recycled', new Set(['recycled'])],
	['login', new Set(['needs login'])],
	['error', new Set(['failed', 'parked'])],
	['skipped', new Set(['skipped'])],
];

/** `2 connected · 2 lazy · 1 error · 43 tools registered`; empty without servers. */
export function serversSummary(servers: readonly ServerView[]): Safe {
	const parts = counted.flatMap(([word, statuses]) => {
		const count = servers.filter(({status}) => statuses.has(status)).length;
		return count === 0 ? [] : [`${count} ${word}`];
	});
	const tools = servers.reduce((sum, server) => sum + server.tools.length, 0);
	return clean(parts.length === 0 ? '' : [...parts, `${tools} tools registered`].join(' · '));
}
