import type {RouteFacts} from '../../../core/route-editor.ts';
import {literal} from '../../../terminal/text/safe.ts';
import {blankLine, clean, line, wrapText, type Line} from '../line.ts';
import {dayTime} from '../time.ts';
import type {RouteTraffic} from './route-traffic.ts';

/** What is loaded of a route, as names and values. `traffic` tells how much of its rate was used last. */
export function loadedFacts(
	{secret, formerSecretsUntil, rateLimit, tools, unknownServers}: RouteFacts,
	{traffic, now}: {readonly traffic: RouteTraffic | undefined; readonly now: number},
): ReadonlyArray<readonly [string, string]> {
	const passing = formerSecretsUntil.filter(until => until > now);
	const asking = tools.filter(({asks}) => asks);
	return [
		['secret', secret],
		...(formerSecretsUntil.length === 0
			? []
			: [['former', formerText(passing, formerSecretsUntil.length)] as const]),
		['rate', rateText(rateLimit, traffic)],
		[
			'tools',
			toolsText(
				tools.map(({name}) => name),
				unknownServers,
			),
		],
		...(tools.length === 0
			? []
			: [['ask first', asking.map(({name}) => name).join(', ') || 'none of them'] as const]),
	];
}

const formerText = (passing: readonly number[], count: number): string =>
	passing.length === 0
		? `${count}, none of which passes any more`
		: `${passing.length} of ${count} still ${passing.length === 1 ? 'passes' : 'pass'}, until ${dayTime(Math.max(...passing))}`;

function rateText(limit: number, traffic: RouteTraffic | undefined): string {
	const newest = traffic?.newest.find(({trace}) => trace.some(({step}) => step === 'rate'));
	const used = newest?.trace.find(({step}) => step === 'rate')?.detail;
	return newest && used !== undefined
		? `${limit} a minute; ${used} at ${dayTime(newest.receivedAt)}`
		: `${limit} a minute`;
}

function toolsText(names: readonly string[], unknownServers: readonly string[]): string {
	const unknown =
		unknownServers.length === 0 ? [] : [`those of ${unknownServers.join(', ')}, once connected`];
	return [...names, ...unknown].join(', ') || 'none';
}

/** Filters and prompt, each below its title. */
export const contentLines = (
	{filters, prompt, promptLength = 0}: RouteFacts,
	width: number,
): readonly Line[] => [
	blankLine,
	line(literal('Filters'), 'title'),
	...(filters.length === 0
		? [line(literal('  none: every event of its types passes'), 'quiet')]
		: filters.flatMap(text => indented(text, width))),
	blankLine,
	line(literal('Prompt'), 'title'),
	...(prompt === undefined
		? [line(literal('  none: the payload as indented JSON'), 'quiet')]
		: prompt.split('\n').flatMap(text => indented(text, width))),
	...(prompt !== undefined && promptLength > prompt.length
		? [line(clean(`  ${promptLength} characters in all: e shows them`), 'quiet')]
		: []),
];

function indented(text: string, width: number): readonly Line[] {
	const [indent = ''] = /^ */.exec(text) ?? [];
	const before = `  ${indent.slice(0, 12)}`;
	return wrapText(clean(text.trimStart()), Math.max(8, width - before.length)).map(row =>
		line(clean(`${before}${row}`)),
	);
}
