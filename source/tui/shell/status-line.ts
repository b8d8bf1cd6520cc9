import {compact, countOf} from '../../core/names.ts';
import {longQueue, queuedOf} from '../../core/run-queue.ts';
import {runsToDecide, type GatewayState, type WebhookState} from '../../core/state.ts';
import {lossyRoutes, trafficParts} from '../../core/traffic.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {widthOf} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {sparkline} from '../../terminal/text/sparkline.ts';
import {clockTime, minuteTime} from '../../terminal/text/time.ts';
import {runsAtWork} from '../entries/runs-at-work.ts';
import {type Line, type Span} from '../lines/line.ts';
import {groupedCell} from '../lines/title-parts.ts';
import {type Snapshot, staleFor} from '../state/feed.ts';

/** The receiver's address, as a sign and its port. */
const receiverField = (webhook: WebhookState): Span =>
	webhook.state === 'listening'
		? {text: safe`● ${escapeLine(portOf(webhook.url))}`, tone: 'good'}
		: receiverWords[webhook.state];

const receiverWords: Readonly<Record<Exclude<WebhookState['state'], 'listening'>, Span>> = {
	starting: {text: literal('◐ starting'), tone: 'accent'},
	refused: {text: literal('✗ receiver'), tone: 'bad'},
	disabled: {text: literal('○ no receiver'), tone: 'quiet'},
	closed: {text: literal('○ closed'), tone: 'quiet'},
};

const portOf = (url: string): string => /:\d{1,5}(?=\/|$)/.exec(url)?.[0] ?? url;

/** What waits for a person; never dropped from the status row. Problems of the receiver are shown in its own field. */
export function attention(state: GatewayState, now: number): Safe | undefined {
	const {api, problems, approvals, servers, storeFailing, modelProblem, modelSilence} = state;
	const {cluster = [], notesLagMs} = state;
	const gone = cluster.filter(({isGone}) => isGone).length;
	const logins = servers.filter(({status}) => status === 'needs login').length;
	const waiting = runsToDecide(state);
	const parts = compact([
		storeFailing !== undefined && (state.cluster ? 'database away' : 'disk fails'),
		gone > 0 && `${countOf(gone, 'gateway')} gone`,
		notesLagMs !== undefined && `notes ${Math.round(notesLagMs / 1000)} s late`,
		approvals.length > 0 && countOf(approvals.length, 'approval'),
		logins > 0 && countOf(logins, 'login'),
		(modelProblem !== undefined || modelSilence) && 'runs fail',
		lossyRoutes(state, now).length > 0 && 'losing events',
		problems.some(problem => problem.severity === 'error') && 'config',
		waiting > 0 && `${countOf(waiting, 'run')} to decide`,
		api?.state === 'refused' && 'chat API refused',
	]);
	return parts.length === 0 ? undefined : escapeLine(`! ${parts.join('  ')}`);
}

const gap = 2;

type Field = Span & {
	readonly side: 'left' | 'right';
	readonly isKept?: boolean;
	readonly isPicture?: boolean;
};

/** The status row: fields are dropped from the right until it fits `width`, except those that need a person. */
export function statusLine(
	snapshot: Snapshot,
	{
		version,
		isReadOnly = false,
	}: {
		readonly version: Safe;
		readonly isReadOnly?: boolean;
	},
	width: number,
): Line {
	let fields = fieldsOf(snapshot, version).toSpliced(
		1,
		0,
		...(isReadOnly ? [{...left(literal('read-only'), 'warn'), isKept: true}] : []),
	);
	while (lengthOf(fields) > width) {
		const picture = fields.findIndex(field => field.isPicture);
		const last = picture === -1 ? fields.findLastIndex(field => !field.isKept) : picture;
		if (last === -1) {
			break;
		}

		fields = fields.toSpliced(last, 1);
	}

	const start = fields.filter(field => field.side === 'left');
	const end = fields.filter(field => field.side === 'right');
	const fill = end.length === 0 ? 0 : Math.max(gap, width - lengthOf(start) - lengthOf(end));
	return [...joined(start), {text: escapeLine(' '.repeat(fill))}, ...joined(end)];
}

const lengthOf = (fields: readonly Field[]): number =>
	fields.reduce((sum, field) => sum + widthOf(field.text) + gap, 0) - (fields.length > 0 ? gap : 0);

const joined = (fields: readonly Field[]): Line =>
	fields.flatMap(({text, tone = 'plain'}, index) =>
		index === 0 ? [{text, tone}] : [{text: literal('  ')}, {text, tone}],
	);

const left = (text: Safe, tone: Span['tone'] = 'quiet'): Field => ({text, tone, side: 'left'});

const right = (text: Safe): Field => ({text, tone: 'quiet', side: 'right'});

function fieldsOf(snapshot: Snapshot, version: Safe): readonly Field[] {
	const {state, now} = snapshot;
	const {health, totals, gateway} = state;
	const staleMs = staleFor(snapshot);
	const warning = attention(state, now);
	const {waits} = runsAtWork(state, now);
	const queued = queuedOf(waits);
	const hour = trafficParts(state.traffic, {now, parts: hourCells});
	return compact<Field>([
		{...left(safe`svc ${version}`, 'strong'), isKept: true},
		{...receiverField(state.webhook), side: 'left', isKept: true},
		staleMs !== undefined && left(safe`stale ${Math.floor(staleMs / 1000)} s`, 'warn'),
		health && left(escapeLine(`${rate(health.requestsPerSecond)}/s`)),
		membersField(state),
		queued >= longQueue &&
			left(safe`${groupedCell(queued)} queued`, waits.worker >= longQueue ? 'warn' : 'quiet'),
		hour.some(count => count > 0) && {
			...left(safe`${sparkline(hour)} 1h`, 'accent'),
			isPicture: true,
		},
		totals.received > 0 &&
			left(safe`ok ${Math.floor((totals.ok / totals.received) * 100)}%`, okTone(totals)),
		// Most people have only the default profile; another one's name matters.
		gateway.profile !== 'default' && left(escapeLine(gateway.profile), 'plain'),
		warning && {text: warning, tone: 'warn', side: 'right', isKept: true},
		right(snapshot.isIdle ? minuteTime(now) : clockTime(now)),
	]);
}

/** How many gateways share the store; absent for a single one. */
function membersField({cluster = []}: GatewayState): Field | undefined {
	const gone = cluster.filter(({isGone}) => isGone).length;
	if (cluster.length < 2) {
		return undefined;
	}

	return gone === 0
		? left(escapeLine(countOf(cluster.length, 'gateway')))
		: left(safe`${cluster.length - gone} of ${cluster.length} gateways`, 'warn');
}

const hourCells = 12;

/** Warns from ten requests on if a tenth of them is refused. */
const okTone = ({received, ok}: GatewayState['totals']): Span['tone'] =>
	received >= 10 && (received - ok) * 10 >= received ? 'warn' : 'quiet';

const rate = (perSecond: number): string =>
	perSecond < 10 ? perSecond.toFixed(1) : String(Math.round(perSecond));
