import type {RouteView} from '../../../core/config-view.ts';
import type {RouteFacts, RouteRate} from '../../../core/route-editor.ts';
import {routePath} from '../../../core/route-path.ts';
import {resultTone, resultWord} from '../../../nouns/delivery/delivery-word.ts';
import {clip} from '../../../terminal/text/fit.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {sparkline} from '../../../terminal/text/sparkline.ts';
import {dayTime} from '../../../terminal/text/time.ts';
import {problemText} from '../../entries/route-columns.ts';
import {isMostlyRefused, trafficKey, type RoutesTraffic} from '../../entries/route-traffic.ts';
import {blankLine, clean, line, wrapText, type Line} from '../../lines/line.ts';
import {contentLines, loadedFacts} from './facts-lines.ts';

const howToChange: Readonly<Record<RouteView['source'], string>> = {
	static: 'e edits it in config.yaml, whose comments stay; Y makes a subscription of it.',
	dynamic:
		'e edits it, Y makes another one of it; p pauses it, R gives it a new secret, D deletes it.',
};

/** What is known of a route beside what is listed. */
export type RouteSources = {
	readonly traffic: RoutesTraffic;
	/** Absent until they are loaded, and of a route that is not served. */
	readonly facts: RouteFacts | undefined;
	/** Absent until it is loaded. */
	readonly rate: RouteRate | undefined;
	/** What it turned away within the hour, and why there are no facts. */
	readonly warnings: readonly string[];
	readonly now: number;
	/** Nothing is changed from here. */
	readonly isReadOnly: boolean;
};

const pausedText =
	'paused: events that would start something are answered 503 and kept; p lets it go on, and r in Traffic replays what was not sent again';

/** One route as it is served. */
export function routeDetail(
	route: RouteView,
	{traffic, facts, rate, warnings, now, isReadOnly}: RouteSources,
	width: number,
): readonly Line[] {
	const problem = problemText(route);
	return [
		line(safe`${clean(route.name)}  ${clean(route.source)}`, 'strong'),
		...(problem === undefined ? [] : wrapText(problem, width).map(row => line(row, 'bad'))),
		...(route.paused === true ? wrapText(pausedText, width).map(row => line(row, 'warn')) : []),
		...(route.insecure
			? [line(literal('! signatures are not checked: the secret is INSECURE_NO_AUTH'), 'warn')]
			: []),
		...[...warnings, ...(route.troubles ?? []), ...(facts?.notes ?? [])].flatMap(text =>
			wrapText(`! ${text}`, width).map(row => line(row, 'warn')),
		),
		blankLine,
		...[...factsOf(route), ...(facts ? loadedFacts(facts, {rate, now}) : [])].flatMap(
			([name, value]) => factRows(name, value, width),
		),
		...(route.description === ''
			? []
			: [blankLine, ...wrapText(route.description, width).map(row => line(row))]),
		...trafficRows(route, traffic, width),
		...(facts ? contentLines(facts, width) : []),
		...(isReadOnly
			? []
			: [blankLine, ...wrapText(howToChange[route.source], width).map(row => line(row, 'quiet'))]),
	];
}

/** What came in for it, and its newest events with what was answered. */
function trafficRows(
	route: RouteView,
	{since, byRoute}: RoutesTraffic,
	width: number,
): readonly Line[] {
	const traffic = byRoute.get(trafficKey(route));
	const span = safe`  since ${dayTime(since)}`;
	const title: Line = [
		{text: literal('Events'), tone: 'title'},
		{text: span, tone: 'quiet'},
	];
	if (!traffic) {
		return [blankLine, title, line(literal('  none'), 'quiet')];
	}

	const {taken, ignored, refused, newest} = traffic;
	return [
		blankLine,
		title,
		[
			{text: clean(`  ${taken} taken in, ${ignored} ignored, `)},
			{
				text: clean(`${refused} refused`),
				tone: refused === 0 ? 'plain' : isMostlyRefused(traffic) ? 'bad' : 'warn',
			},
		],
		[
			{text: safe`  ${sparkline(traffic.hours)}`, tone: 'accent'},
			{text: literal('  24 hours'), tone: 'quiet'},
		],
		...newest.map((delivery): Line => [
			{text: safe`  ${dayTime(delivery.receivedAt)}  `, tone: 'quiet'},
			{text: clean(resultWord(delivery)), tone: resultTone(delivery.outcome)},
			{
				text: clip(
					safe`  ${clean(delivery.subject ?? delivery.event)}`,
					Math.max(0, width - 18 - resultWord(delivery).length),
				),
			},
		]),
	];
}

const factsOf = (route: RouteView): ReadonlyArray<readonly [string, string]> => [
	['path', routePath(route)],
	['profile', route.profile],
	['events', route.events.length === 0 ? 'every event' : route.events.join(', ')],
	...(route.mode === 'cron_job' ? [] : [['deliver', route.deliver] as const]),
	['mode', modeTexts[route.mode]],
	...(route.coalesceKey === undefined ? [] : [['coalesce', coalesceText(route)] as const]),
	...(route.cronJob === undefined ? [] : [['cron_job', route.cronJob] as const]),
	...(route.signature === undefined ? [] : [['signature', route.signature] as const]),
	...(route.concurrency === undefined
		? []
		: [['concurrency', `${counted(route.concurrency)} at once`] as const]),
	...(route.overflow === undefined
		? []
		: [['overflow', 'queue: above the rate limit events wait'] as const]),
];

const counted = (count: number): string => (count === 1 ? '1 run' : `${count} runs`);

/** `key {number}  30 s / 300 s`: the quiet window and the cap. */
const coalesceText = ({coalesceKey = '', windowMs, maxWaitMs}: RouteView): string =>
	windowMs === undefined || maxWaitMs === undefined
		? `key ${coalesceKey}`
		: `key ${coalesceKey}  ${windowMs / 1000} s / ${maxWaitMs / 1000} s`;

const modeTexts: Readonly<Record<RouteView['mode'], string>> = {
	agent: 'agent: each event starts a run',
	deliver_only: 'deliver_only: the prompt is the message, no agent runs',
	cron_job: 'cron_job: each event fires the job, which says where its answer goes',
	coalesce: 'coalesce: events of one key wait together and become one run, see 2',
};

const nameCells = 13;

const factRows = (name: string, value: string, width: number): readonly Line[] =>
	wrapText(clean(value), width - nameCells).map((row, index): Line => [
		{text: clean((index === 0 ? name : '').padEnd(nameCells)), tone: 'quiet'},
		{text: row},
	]);
