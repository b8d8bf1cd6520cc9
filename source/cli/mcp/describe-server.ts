import {countOf} from '../../core/counted.ts';
import type {ServerToolView} from '../../core/tool-server.ts';
import {printableTime} from '../../terminal/text/time.ts';
import type {ListedServer} from './find-servers.ts';

/** A tool server in lines: where it stands, and its tools with which of them ask. */
export function describeServer(server: ListedServer): readonly string[] {
	const {reason, since, savedAt, nextAttemptAt, stderr, pingMs} = server;
	const facts: ReadonlyArray<readonly [string, string | undefined]> = [
		['reason', reason],
		['since', since === undefined ? undefined : printableTime(since)],
		['next try', nextAttemptAt === undefined ? undefined : printableTime(nextAttemptAt)],
		['endpoint', `${server.endpoint} (${server.transport})`],
		['trust', server.trust],
		['profile', server.profile === 'default' ? undefined : server.profile],
		['protocol', server.protocol],
		['server', server.serverInfo],
		['filter', server.filter],
		['ping', pingMs === undefined ? undefined : `${pingMs} ms`],
		['calls', server.activeCalls === 0 ? undefined : `${server.activeCalls} under way`],
		['stderr', stderr],
		...server.warnings.map(warning => ['warning', warning] as const),
	];
	return [
		`${server.name}  ${server.status}`,
		...facts.flatMap(([name, text]) =>
			text === undefined ? [] : [`${name.padEnd(nameWidth)}${text}`],
		),
		'',
		...describeTools(server.tools, server),
		...(savedAt === undefined
			? []
			: ['', `As of ${printableTime(savedAt)}, when it was connected`]),
	];
}

const nameWidth = 10;

/** The tools of a server in lines. `offered`: how many it has itself. */
export function describeTools(
	tools: readonly ServerToolView[],
	{offered}: {readonly offered: number},
): readonly string[] {
	if (tools.length === 0) {
		return [
			offered === 0
				? 'No tools are known'
				: `None of its ${countOf(offered, 'tool')} is registered`,
		];
	}

	const asking = tools.filter(({asks}) => asks).length;
	return [
		`${countOf(tools.length, 'tool')} (it offers ${offered}), ${asking === 0 ? 'none of which asks' : `${asking} of which ${asking === 1 ? 'asks' : 'ask'}`} a person first`,
		...tools.map(lineOf),
	];
}

const maxLineLength = 60;

function lineOf({name, asks, changed, args, description}: ServerToolView): string {
	const [first = ''] = description.split('\n');
	const about = first.length > maxLineLength ? `${first.slice(0, maxLineLength)}…` : first;
	const marks = [...(asks ? ['asks'] : []), ...(changed ? ['changed'] : [])];
	return [
		`  ${name}(${args.join(', ')})`,
		...(marks.length > 0 ? [`[${marks.join(', ')}]`] : []),
		...(about === '' ? [] : [about]),
	].join('  ');
}
