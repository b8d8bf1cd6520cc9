import type {RouteView} from '../../core/config-view.ts';
import {compact, countOf} from '../../core/names.ts';
import type {RouteFacts, RouteRate} from '../../core/route-editor.ts';
import {routePath} from '../../core/route-path.ts';
import type {RunSums} from '../../core/run-sums.ts';
import type {DeliveryRow} from '../../core/state.ts';
import {lossyRoutes} from '../../core/traffic.ts';
import {sparkline} from '../../terminal/text/sparkline.ts';
import {dayTime} from '../../terminal/text/time.ts';
import {resultTone, resultWord} from '../delivery/delivery-word.ts';
import {fact, type AsOf, type Fact} from '../noun.ts';
import {sumFacts} from '../run/run-sums.ts';
import {isMostlyRefused, trafficKey, type RoutesTraffic} from './route-traffic.ts';

/** What facts and columns depend on besides the routes. */
export type RouteMore = {
	/** Absent if counting failed. */
	readonly traffic?: RoutesTraffic;
	/** Increases when routes or tool servers change: `facts` of an older version are reloaded. */
	readonly version?: number;
	/** Absent until loaded, and for a route that is not served. */
	readonly facts?: RouteFacts;
	/** The used part of the selected route's rate limit in this minute. Absent until loaded. */
	readonly rate?: RouteRate | undefined;
	/** Run totals by route. Absent until loaded. */
	readonly sums?: RunSums | undefined;
	/** The newest deliveries, to count those lost by a 429. */
	readonly deliveries?: readonly DeliveryRow[];
	/** Whether this face may change routes. */
	readonly canChange?: boolean;
};

/** The problem of a route; `undefined` if it has none. */
export function problemText({problem, stale}: RouteView): string | undefined {
	if (problem !== undefined) {
		return `not served: ${problem}`;
	}

	return stale === undefined ? undefined : `served as it was: ${stale}`;
}

const pausedText =
	'paused: its events start nothing and are answered 503. p resumes it. Traffic keeps the events: r there replays one that its sender did not send again';

const howToChange: Readonly<Record<RouteView['source'], string>> = {
	static: 'e edits it in config.yaml, whose comments stay; Y makes a dynamic route of it.',
	dynamic:
		'e edits it, Y makes another one of it; p pauses it, R gives it a new secret, D deletes it.',
};

const blank: Fact = {text: ''};

/** Says that a route dropped events within the hour and still would, as far as `deliveries` show; `undefined` if not. */
export function lossText(
	route: RouteView,
	{deliveries = [], now}: AsOf & Pick<RouteMore, 'deliveries'>,
): string | undefined {
	const [loss] = lossyRoutes({deliveries, routes: [route]}, now);
	return (
		loss &&
		`loses events: ${countOf(loss.count, 'event')} answered ${loss.status} within the hour, ${loss.remedy}`
	);
}

/** The facts of a route as served. */
export function routeFacts(route: RouteView, known: AsOf & RouteMore): readonly Fact[] {
	const {facts, canChange = false} = known;
	const problem = problemText(route);
	const loss = lossText(route, known);
	const warnings = compact([
		route.insecure && 'signatures are not checked: the secret is INSECURE_NO_AUTH',
		loss,
		...(route.troubles ?? []),
		...(facts?.notes ?? []),
	]);
	return compact<Fact>([
		problem !== undefined && {text: problem, tone: 'bad'},
		route.paused === true && {text: pausedText, tone: 'warn'},
		...warnings.map(text => ({text: `! ${text}`, tone: 'warn'}) as const),
		blank,
		...servedFacts(route),
		...(facts ? loadedFacts(facts, known) : []),
		...(route.description === '' ? [] : [blank, {text: route.description}]),
		...trafficFacts(route, known),
		...sumFacts(
			known.sums,
			'Runs',
			one => one.route === route.name && one.profile === route.profile,
		),
		...(facts ? contentFacts(facts) : []),
		...(canChange ? [blank, {text: howToChange[route.source], tone: 'quiet'} as const] : []),
	]);
}

const servedFacts = ({concurrency, ...route}: RouteView): readonly Fact[] => [
	...fact('path', routePath(route)),
	...fact('profile', route.profile),
	...fact('events', route.events.join(', ') || 'every event'),
	...fact('deliver', route.mode === 'cron_job' ? undefined : route.deliver),
	...fact('mode', modeTexts[route.mode]),
	...fact('prefetch', route.prefetch?.join(', ')),
	...fact('coalesce', coalesceText(route)),
	...fact('cron_job', route.cronJob),
	...fact('signature', route.signature),
	...fact(
		'concurrency',
		concurrency === undefined ? undefined : `${countOf(concurrency, 'run')} at once`,
	),
	...fact('overflow', route.overflow && 'queue: above the rate limit events wait'),
];

const modeTexts: Readonly<Record<RouteView['mode'], string>> = {
	agent: 'agent: each event starts a run',
	deliver_only: 'deliver_only: the prompt is the message, no agent runs',
	cron_job: 'cron_job: each event fires the job, which says where its answer goes',
	coalesce: 'coalesce: events of one key wait together and become one run, see 2',
};

/** `key {number}  30 s / 300 s`: the quiet window and the cap. */
const coalesceText = ({coalesceKey, windowMs, maxWaitMs}: RouteView): string | undefined =>
	coalesceKey &&
	(windowMs === undefined || maxWaitMs === undefined
		? `key ${coalesceKey}`
		: `key ${coalesceKey}  ${windowMs / 1000} s / ${maxWaitMs / 1000} s`);

/** The facts loaded when the route is selected. */
function loadedFacts(
	{secret, secretSince, formerSecretsUntil, rateLimit, tools, unknownServers}: RouteFacts,
	{rate, now}: AsOf & RouteMore,
): readonly Fact[] {
	const isOwn = secret.startsWith('its own');
	return [
		...fact('secret', secret),
		...fact('', isOwn ? secretAge(secretSince, {now, key: 'R'}) : undefined),
		...fact('former', formerText(formerSecretsUntil, now)),
		...fact('rate', rateText(rateLimit, rate)),
		...fact('tools', toolsText(tools, unknownServers)),
		...fact('ask first', askingText(tools)),
	];
}

const dayMs = 86_400_000;

/** Secrets from this age on are marked as old. */
const oldDays = 180;

/** The age of a secret; for an old one, also the key that makes a new one. */
export function secretAge(
	since: number | undefined,
	{now, key}: {readonly now: number; readonly key: string},
): string {
	if (since === undefined || Number.isNaN(since)) {
		return 'age unknown';
	}

	const days = Math.max(0, Math.floor((now - since) / dayMs));
	const age = days === 0 ? 'of today' : `${countOf(days, 'day')} old`;
	return days >= oldDays ? `! ${age}: ${key} makes a new one` : age;
}

/** How many replaced secrets are still valid, given their expiry times; `undefined` if none. */
export function formerText(untils: readonly number[], now: number): string | undefined {
	const count = untils.length;
	const passing = untils.filter(until => until > now);
	if (count === 0) {
		return undefined;
	}

	return passing.length === 0
		? `${count}, none of which passes any more`
		: `${passing.length} of ${count} still ${passing.length === 1 ? 'passes' : 'pass'}, until ${dayTime(Math.max(...passing))}`;
}

function rateText(limit: number, rate: RouteRate | undefined): string {
	if (!rate) {
		return `${limit} a minute`;
	}

	const {used, endsInMs, promisedInMs} = rate;
	return compact([
		`${rate.limit} a minute`,
		used === 0 ? 'none used now' : `${used} used, anew in ${seconds(endsInMs)}`,
		promisedInMs !== undefined && `the last that waits starts in ${seconds(promisedInMs)}`,
	]).join('; ');
}

const seconds = (ms: number): string => `${Math.ceil(ms / 1000)} s`;

type Tools = RouteFacts['tools'];

/** How many tools of each server the route offers: their names would fill a screen, and are in the pane of tools. */
function toolsText(tools: Tools, unknownServers: readonly string[]): string {
	const known = [...Map.groupBy(tools, ({server}) => server)].map(([server, own], index) => {
		const asking = own.filter(({asks}) => asks).length;
		return `${server ?? 'svc'} ${own.length}${index === 0 ? ` ${own.length === 1 ? 'tool' : 'tools'}` : ''}${asking === 0 ? '' : `, ${asking} ask`}`;
	});
	const unknown =
		unknownServers.length === 0 ? [] : [`those of ${unknownServers.join(', ')}, once connected`];
	return [...known, ...unknown].join(' · ') || 'none';
}

const maxNamed = 6;

/** The names of tools that need approval, if few; without the prefix for their server. */
function askingText(tools: Tools): string | undefined {
	const asking = tools.filter(({asks}) => asks);
	if (tools.length === 0) {
		return undefined;
	}

	return asking.length > maxNamed
		? `${asking.length} of ${tools.length}: the pane Tools marks them`
		: asking.map(({name}) => name.replace(/^mcp__.+?__/, '')).join(', ') || 'none of them';
}

/** Counts of the route's deliveries, and its newest ones with their answers. */
function trafficFacts(route: RouteView, {traffic}: RouteMore): readonly Fact[] {
	if (!traffic) {
		return [];
	}

	const title: readonly Fact[] = [
		blank,
		{
			words: [
				{text: 'Events', tone: 'title'},
				{text: `  since ${dayTime(traffic.since)}`, tone: 'quiet'},
			],
		},
	];
	const own = traffic.byRoute.get(trafficKey(route));
	if (!own) {
		return [...title, {text: '  none', tone: 'quiet'}];
	}

	const {taken, ignored, refused, hours, newest} = own;
	const tone = refused === 0 ? 'plain' : isMostlyRefused(own) ? 'bad' : 'warn';
	return [
		...title,
		{
			words: [
				{text: `  ${taken} taken in, ${ignored} ignored, `},
				{text: `${refused} refused`, tone},
			],
		},
		{
			words: [
				{text: `  ${sparkline(hours)}`, tone: 'accent'},
				{text: '  24 hours', tone: 'quiet'},
			],
		},
		...newest.map(delivery => ({
			words: [
				{text: `  ${dayTime(delivery.receivedAt)}  `, tone: 'quiet'} as const,
				{text: resultWord(delivery), tone: resultTone(delivery.outcome)},
				{text: `  ${delivery.subject ?? delivery.event}`},
			],
		})),
	];
}

/** Filters and prompt, each below its title. */
const contentFacts = ({filters, prompt, promptLength = 0}: RouteFacts): readonly Fact[] =>
	compact<Fact>([
		{title: 'Filters'},
		filters.length === 0 && {text: '  none: every event of its types passes', tone: 'quiet'},
		...filters.map(text => ({text: `  ${text}`})),
		{title: 'Prompt'},
		prompt === undefined && {text: '  none: the payload as indented JSON', tone: 'quiet'},
		...(prompt?.split('\n').map(text => ({text: `  ${text}`})) ?? []),
		prompt !== undefined &&
			promptLength > prompt.length && {
				text: `  ${promptLength} characters in all: e shows them`,
				tone: 'quiet',
			},
	]);
