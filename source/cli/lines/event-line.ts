import type {Diagnostic} from '../../core/config-view.ts';
import type {GatewayEvent} from '../../core/events.ts';
import type {JobView} from '../../core/job.ts';
import {countOf} from '../../core/names.ts';
import {conversationWords, originOf} from '../../core/origin.ts';
import {hasEnded, type Run} from '../../core/run.ts';
import {escapeLine} from '../../core/untrusted.ts';

/** An event as one line for a person, without the line end. */
export type EventLine = {
	readonly text: string;
	/** Not a result, so belongs on stderr. */
	readonly notice: boolean;
	/** Printed even in quiet mode. */
	readonly important: boolean;
};

type Reader<Type> = (event: Extract<GatewayEvent, {readonly type: Type}>) => EventLine | undefined;

const maxLineLength = 500;

/** `15:04:02` in local time. */
export const timeOfDay = (at: number): string =>
	[new Date(at).getHours(), new Date(at).getMinutes(), new Date(at).getSeconds()]
		.map(part => String(part).padStart(2, '0'))
		.join(':');

const result = (at: number, facts: ReadonlyArray<string | number>): EventLine => ({
	text: lineOf(at, facts),
	notice: false,
	important: false,
});

const notice = (
	at: number,
	facts: ReadonlyArray<string | number>,
	{important = false} = {},
): EventLine => ({text: lineOf(at, facts), notice: true, important});

/** Events contain strangers' text; it is escaped again, since nothing after this would. */
const lineOf = (at: number, facts: ReadonlyArray<string | number>) =>
	escapeLine(
		[timeOfDay(at), ...facts.map(fact => (fact === '' ? '-' : fact))].join(' '),
		maxLineLength,
	);

const placeOf = ({file, line, column, key, message}: Diagnostic) =>
	[line > 0 ? `${file}:${line}:${column}` : file, key, message]
		.filter(part => part !== '')
		.join(' ');

/** `2 active, 1 paused; "nightly" cannot be used: …`. */
function jobsInWords(jobs: readonly JobView[]): string {
	const counts = new Map<string, number>();
	for (const {state} of jobs) {
		counts.set(state, (counts.get(state) ?? 0) + 1);
	}

	const broken = jobs
		.filter(({state}) => state === 'invalid')
		.map(({name, problem}) => `; "${name}" cannot be used: ${problem ?? 'it is not a job'}`);
	const shares = [...counts].map(([state, count]) => `${count} ${state}`);
	return `${shares.join(', ') || 'none'}${broken.join('')}`;
}

const readers: {readonly [Type in GatewayEvent['type']]?: Reader<Type>} = {
	'gateway-started': ({at, version, pid, home, profile}) =>
		notice(at, ['svc', version, 'started: pid', pid, 'home', home, 'profile', profile]),
	'gateway-stopping': ({at}) => notice(at, ['stopping']),
	'gateway-lost': ({at}) => notice(at, ['the gateway does not answer any more'], {important: true}),
	'message-skipped': ({at, reason}) =>
		notice(at, ['something that the gateway said cannot be read:', reason], {important: true}),
	'webhook-listening': ({at, url}) => notice(at, ['listening on', url]),
	'webhook-refused': ({at, reason}) =>
		notice(at, ['webhook receiver refused:', reason], {important: true}),
	'api-changed': ({at, api}) => {
		if (api.state === 'listening') {
			return notice(at, ['chat API listening on', api.url]);
		}

		return api.state === 'refused'
			? notice(at, ['chat API refused:', api.reason], {important: true})
			: undefined;
	},
	'delivery-received': ({delivery}) => {
		const {receivedAt, route, event, status, outcome, durationMs, id, subject} = delivery;
		const took = `${Math.round(durationMs)}ms`;
		const about = subject === undefined ? [] : [subject];
		return result(receivedAt, [route, event, status, outcome, took, id, ...about]);
	},
	'run-changed': ({at, run}) => {
		if (!hasEnded(run.state)) {
			return undefined;
		}

		const took =
			run.startedAt === undefined || run.finishedAt === undefined
				? []
				: [`${((run.finishedAt - run.startedAt) / 1000).toFixed(1)}s`];
		const why = run.error === undefined ? [] : [run.error];
		const cause = run.delivery === undefined ? [] : [run.delivery];
		return result(at, [...ownerOf(run), 'run', run.id, run.state, ...took, ...cause, ...why]);
	},
	// A group that still waits was reported by its deliveries.
	'group-changed': ({at, group}) =>
		group.state === 'pending'
			? undefined
			: result(at, [
					group.route,
					'group',
					group.id,
					'dispatched',
					group.reason ?? '',
					countOf(group.count, 'event'),
					...(group.runId === undefined ? [] : ['run', group.runId]),
					group.key,
				]),
	'jobs-changed': ({at, jobs}) => notice(at, ['jobs:', jobsInWords(jobs)]),
	'approval-requested': ({at, approval}) => {
		const {id, run} = approval;
		const what = approval.kind === 'tool' ? approval.tool.name : `a form of ${approval.server}`;
		const how = approval.kind === 'tool' ? `(svc approvals allow ${id})` : '(open svc to answer)';
		const who = run === undefined ? [] : ['run', run];
		return notice(at, ['approval', id, 'waits:', what, ...who, how], {important: true});
	},
	'approval-settled': ({at, approval: {id, decision}}) =>
		notice(at, ['approval', id, decision?.outcome ?? '', 'by', decision?.by ?? '']),
	'config-reloaded': ({at, changes, restartNeeded}) => {
		const restart =
			restartNeeded.length === 0 ? [] : [`(restart needed: ${restartNeeded.join(', ')})`];
		const what = changes.length === 0 ? 'nothing changed' : changes.join('; ');
		return notice(at, ['configuration reloaded:', what, ...restart]);
	},
	'config-rejected': ({at, problems}) =>
		notice(at, ['configuration refused:', problems.map(placeOf).join('; ')], {important: true}),
	'log-written': ({record: {at, level, source, message}}) =>
		level === 'warn' || level === 'error'
			? notice(at, [level, `${source}:`, message], {important: level === 'error'})
			: undefined,
};

/** The line of `event`; `undefined` for events without one (health, progress, states). */
export function eventLine(event: GatewayEvent): EventLine | undefined {
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the table gives each type its own reader
	const read = readers[event.type] as Reader<GatewayEvent['type']> | undefined;
	return read?.(event);
}

/** What the run belongs to. */
function ownerOf(run: Run): readonly string[] {
	const origin = originOf(run);
	switch (origin.kind) {
		case 'delivery':
			return [origin.route];

		case 'job':
			return [run.event, 'job', origin.job.name];

		case 'key':
			return [run.event, 'key', origin.name];

		case 'person':
			return [run.event, 'terminal'];

		case 'chat':
			return [run.event, conversationWords(origin)];
	}
}
