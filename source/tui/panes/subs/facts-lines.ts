import type {RouteFacts, RouteRate} from '../../../core/route-editor.ts';
import {literal} from '../../../terminal/text/safe.ts';
import {dayTime} from '../../../terminal/text/time.ts';
import {secretAge} from '../../editor/secret-age.ts';
import {blankLine, clean, line, wrapText, type Line} from '../../lines/line.ts';

/** What is loaded of a route, as names and values. `rate`: how much of it is used now. */
export function loadedFacts(
	{secret, secretSince, formerSecretsUntil, rateLimit, tools, unknownServers}: RouteFacts,
	{rate, now}: {readonly rate: RouteRate | undefined; readonly now: number},
): ReadonlyArray<readonly [string, string]> {
	const passing = formerSecretsUntil.filter(until => until > now);
	return [
		['secret', secret],
		...(secret.startsWith('its own')
			? [['', secretAge(secretSince, {now, key: 'R'})] as const]
			: []),
		...(formerSecretsUntil.length === 0
			? []
			: [['former', formerText(passing, formerSecretsUntil.length)] as const]),
		['rate', rateText(rateLimit, rate)],
		['tools', toolsText(tools, unknownServers)],
		...askingFacts(tools),
	];
}

const formerText = (passing: readonly number[], count: number): string =>
	passing.length === 0
		? `${count}, none of which passes any more`
		: `${passing.length} of ${count} still ${passing.length === 1 ? 'passes' : 'pass'}, until ${dayTime(Math.max(...passing))}`;

function rateText(limit: number, rate: RouteRate | undefined): string {
	if (!rate) {
		return `${limit} a minute`;
	}

	const {used, endsInMs, promisedInMs} = rate;
	return [
		`${rate.limit} a minute; ${used === 0 ? 'none used now' : `${used} used, anew in ${seconds(endsInMs)}`}`,
		...(promisedInMs === undefined
			? []
			: [`the last that waits starts in ${seconds(promisedInMs)}`]),
	].join('; ');
}

const seconds = (ms: number): string => `${Math.ceil(ms / 1000)} s`;

type Tools = RouteFacts['tools'];

/** How many a route hands out of each server: their names fill a screen, and stand in the pane of tools. */
function toolsText(tools: Tools, unknownServers: readonly string[]): string {
	const known = [...Map.groupBy(tools, ({server}) => server)].map(([server, own], index) => {
		const asking = own.filter(({asks}) => asks).length;
		return `${server} ${own.length}${index === 0 ? ` ${own.length === 1 ? 'tool' : 'tools'}` : ''}${asking === 0 ? '' : `, ${asking} ask`}`;
	});
	const unknown =
		unknownServers.length === 0 ? [] : [`those of ${unknownServers.join(', ')}, once connected`];
	return [...known, ...unknown].join(' · ') || 'none';
}

const maxNamed = 6;

/** Those that ask a person by name, where they are few; without what the model calls their server. */
function askingFacts(tools: Tools): ReadonlyArray<readonly [string, string]> {
	const asking = tools.filter(({asks}) => asks);
	if (tools.length === 0) {
		return [];
	}

	const names = asking.map(({name}) => name.replace(/^mcp__.+?__/, ''));
	return [
		[
			'ask first',
			asking.length > maxNamed
				? `${asking.length} of ${tools.length}: the pane Tools marks them`
				: names.join(', ') || 'none of them',
		],
	];
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
