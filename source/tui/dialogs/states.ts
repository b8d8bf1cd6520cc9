import {compact} from '../../core/names.ts';
import {longQueue, oldestWaitMs, queuedOf, waitWords} from '../../core/run-queue.ts';
import type {GatewayState} from '../../core/state.ts';
import {trafficParts} from '../../core/traffic.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {needsPerson, serverWords} from '../../nouns/server/server.ts';
import {fit} from '../../terminal/text/fit.ts';
import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {sparkline} from '../../terminal/text/sparkline.ts';
import {dayTime, duration} from '../../terminal/text/time.ts';
import {type PaneCommand, onKeys} from '../acts/command.ts';
import {closing, defineDialog, dialogState} from '../acts/dialog.ts';
import {runsAtWork} from '../entries/runs-at-work.ts';
import {blankLine, line, wrapText, type Line} from '../lines/line.ts';
import {groupedCell} from '../lines/title-parts.ts';
import type {Shell} from '../shell/shell.ts';
import {
	alertParts,
	chatApiParts,
	platformParts,
	processParts,
	receiverPart,
	storeParts,
	wantStore,
	type ProcessPart,
} from './state-parts.ts';
import {scrolledDialog} from './wizard.ts';

const nameCells = 11;
const hourCells = 30;

/** All alarms, then the state of every part of the gateway, worst first: a word, since when, and a remedy. */
const statesRows = (shell: Shell, width: number): readonly Line[] => [
	blankLine,
	...alarmRows(shell, width),
	...partRows(shell, width),
];

/** The banners in full: the single row above the pane may have cut them. Leaves out those that the parts below repeat. */
function alarmRows(shell: Shell, width: number): readonly Line[] {
	const rows = shell
		.banners()
		.filter(({isOfPart}) => isOfPart !== true)
		.flatMap(({text, helps, tone}) =>
			wrapText(helps === undefined ? text : safe`${text} · ${helps}`, width - 5).map((row, index) =>
				line(safe`  ${index === 0 ? empty : literal('  ')}${row}`, tone),
			),
		);
	return rows.length === 0 ? [] : [...rows, blankLine];
}

const partRows = (shell: Shell, width: number): readonly Line[] => {
	const {state, now} = shell.feed.get();
	return [
		gatewayPart(state),
		...storeParts(shell),
		receiverPart(state),
		...chatApiParts(state),
		...requestParts(state, now),
		modelPart(state),
		...platformParts(state.platforms, now),
		...alertParts(state.alerts),
		runsPart(state, now),
		serversPart(state),
		jobsPart(state),
		...journalParts(state),
		...processParts(state),
	]
		.toSorted((one, other) => severityOf(one) - severityOf(other))
		.flatMap(part => partLines(part, width));
};

/** What is wrong comes first: a small screen has to be scrolled to see the rest. */
const severityOf = ({word: {tone}}: ProcessPart): number =>
	tone === 'bad' ? 0 : tone === 'warn' ? 1 : 2;

const states = dialogState<{readonly top: number}>('states');

/** Opens the states of all parts of the gateway. */
export const openStates: PaneCommand = onKeys(
	['states', 'H'],
	literal('states of all parts, all alarms'),
	{
		quiet: true,
		aliases: ['/status', '/states'],
		run: shell => states.open(shell, {top: 0}),
	},
);

const scrolled = scrolledDialog(states, {
	id: 'states',
	title: literal('States'),
	widest: 90,
	rows: (_, width, shell) => statesRows(shell, width),
});

export const statesDialog = defineDialog(states, {
	title: 'States',
	...scrolled,
	want: wantStore,
	countsSeconds: ({cluster}) => cluster !== undefined,
	commands: [...scrolled.commands, closing('states', ['esc', 'H', 'q', 'ctrl+c', 'enter'])],
});

function partLines({name, word, more = empty, help}: ProcessPart, width: number): readonly Line[] {
	const indent = nameCells + 4;
	return [
		[
			{text: safe`  ${fit(name, nameCells)}  `, tone: 'quiet'},
			word,
			{text: more === '' ? empty : safe`  ${more}`},
		],
		...(help === undefined
			? []
			: wrapText(help, width - indent - 1).map(row =>
					line(safe`${escapeLine(' '.repeat(indent))}${row}`, 'quiet'),
				)),
	];
}

function gatewayPart({gateway}: GatewayState): ProcessPart {
	const {reachable, stopping, pid, startedAt, profile} = gateway;
	const more = safe`process ${pid}${startedAt > 0 ? safe`, since ${dayTime(startedAt)}` : empty}, profile ${escapeLine(profile)}`;
	const name = literal('gateway');
	if (!reachable) {
		const help =
			'Everything shown is old. S starts one, as `svc gateway` does; this screen then shows it.';
		return {name, more, word: {text: literal('✗ does not answer'), tone: 'bad'}, help};
	}

	return stopping
		? {name, more, word: {text: literal('! stopping'), tone: 'warn'}}
		: {name, more, word: {text: literal('● runs'), tone: 'good'}};
}

function requestParts(
	{traffic, totals, health}: GatewayState,
	now: number,
): readonly ProcessPart[] {
	const hour = trafficParts(traffic, {now, parts: hourCells});
	const count = hour.reduce((sum, value) => sum + value, 0);
	const {received, ok} = totals;
	const refused = received - ok;
	const isMuch = received >= 10 && refused * 10 >= received;
	const p95 =
		health?.requestP95Ms === undefined ? empty : safe`, p95 ${Math.round(health.requestP95Ms)} ms`;
	return [
		{
			name: literal('last hour'),
			word: {text: sparkline(hour), tone: 'accent'},
			more: safe`${groupedCell(count)} ${count === 1 ? literal('request') : literal('requests')}`,
		},
		{
			name: literal('answers'),
			word: {
				text:
					received === 0
						? literal('○ none since the start')
						: safe`${isMuch ? literal('!') : literal('●')} ${Math.floor((ok / received) * 100)} % ok`,
				tone: received === 0 ? 'quiet' : isMuch ? 'warn' : 'good',
			},
			more:
				received === 0
					? literal('401 and 404 aside')
					: safe`${groupedCell(refused)} of ${groupedCell(received)} refused, 401 and 404 aside${p95}`,
			help: isMuch
				? 'The filter status:4xx in Traffic shows them, each with its reason.'
				: undefined,
		},
	];
}

function modelPart({model, modelProblem, modelSilence, gateway}: GatewayState): ProcessPart {
	const name = literal('model');
	if (modelProblem !== undefined) {
		return {name, word: {text: literal('✗ cannot be used'), tone: 'bad'}, help: modelProblem};
	}

	if (!model) {
		return {name, word: {text: literal('◐ looking for one'), tone: 'accent'}};
	}

	const more = escapeLine(`${model.name} (${model.origin})`);
	if (modelSilence) {
		const {since, reason} = modelSilence;
		return {
			name,
			more: safe`${more}, since ${dayTime(since)}`,
			word: {text: literal('✗ does not answer'), tone: 'bad'},
			help: `${reason}. Runs that fail of it are tried again by themselves, a few times.`,
		};
	}

	if (model.provider === 'offline') {
		const help = `Set "model:" in ${gateway.home}/config.yaml.`;
		return {name, more, word: {text: literal('! none'), tone: 'warn'}, help};
	}

	return {name, more, word: {text: literal('● answers'), tone: 'good'}};
}

function runsPart(state: GatewayState, now: number): ProcessPart {
	const {atWork, asking, waits, places, ...queue} = runsAtWork(state, now);
	const queued = queuedOf(waits);
	const oldestMs = oldestWaitMs(queue, now);
	const parts = compact([
		queued > 0 && `${groupedCell(queued)} queued`,
		asking > 0 && `${asking} wait for you`,
	]);
	const help = compact([
		queued > 0 && `${waitWords(waits, oldestMs === undefined ? undefined : duration(oldestMs))}.`,
		waits.worker >= longQueue && 'runs.concurrency in config.yaml says how many work at once.',
		asking > 0 && '! shows what they ask; other runs go on meanwhile.',
	]);
	return {
		name: literal('runs'),
		word:
			atWork + asking + queued === 0
				? {text: literal('○ none at work'), tone: 'quiet'}
				: {
						text: safe`● ${places ? safe`${places.taken} of ${places.all}` : atWork} at work`,
						tone: 'good',
					},
		more: escapeLine(parts.join(', ')),
		help: help.length > 0 ? help.join(' ') : undefined,
	};
}

function serversPart({servers}: GatewayState): ProcessPart {
	const name = literal('tools');
	const waiting = servers.find(needsPerson);
	const tallies = [...Map.groupBy(servers, ({status}) => status)].map(
		([status, {length}]) => `${length} ${serverWords[status].text.slice(2)}`,
	);
	return {
		name,
		word:
			servers.length === 0
				? {text: literal('○ no tool servers'), tone: 'quiet'}
				: waiting
					? {text: literal('! wait for you'), tone: 'warn'}
					: {text: literal('● ready'), tone: 'good'},
		more: escapeLine(tallies.join(', ')),
		help: waiting && `${waiting.name}: ${waiting.reason ?? waiting.status}. 3 shows them all.`,
	};
}

function jobsPart({jobs}: GatewayState): ProcessPart {
	const invalid = jobs.filter(({state}) => state === 'invalid').length;
	const active = jobs.filter(({state}) => state === 'active').length;
	return {
		name: literal('jobs'),
		word:
			invalid > 0
				? {text: safe`! ${invalid} invalid`, tone: 'warn'}
				: jobs.length === 0
					? {text: literal('○ none'), tone: 'quiet'}
					: {text: safe`● ${active} active`, tone: 'good'},
		more: jobs.length === 0 ? empty : safe`of ${jobs.length}`,
		...(invalid > 0 && {help: '2, then Tab, shows what is wrong with each.'}),
	};
}

const journalParts = ({journal}: GatewayState): readonly ProcessPart[] =>
	journal
		? [
				{
					name: literal('journal'),
					word: {
						text: safe`${groupedCell(journal.deliveries)} deliveries, ${groupedCell(journal.runs)} runs`,
					},
				},
			]
		: [];
