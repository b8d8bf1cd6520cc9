import {formatDiagnostic} from '../../config/format-diagnostic.ts';
import {countOf} from '../../core/names.ts';
import {waitWords} from '../../core/run-queue.ts';
import type {GatewayStatus} from '../../gateway/port.ts';
import {storeRows} from '../../nouns/store.ts';
import {dayTime, duration} from '../../terminal/text/time.ts';

/** A gateway's status in lines. */
export function statusLines(
	status: GatewayStatus,
	{nextJob, now}: {readonly nextJob: string; readonly now: number},
): readonly string[] {
	const {pid, home, profile, webhook, runs, platforms, model, ...rest} = status;
	const ofStore = storeRows(status, now);
	return [
		`gateway    process ${pid}, version ${rest.version}, profile ${profile}${seatText[rest.seat ?? 'foreground']}`,
		`home       ${home}`,
		`webhooks   ${serverState(webhook, status)}`,
		`chat API   ${serverState(rest.api, status)}`,
		`runs       ${runs.active} active, ${runs.queued} queued${runs.to_decide > 0 ? `, ${runs.to_decide} to decide (svc runs list --state interrupted uncertain dead)` : ''}`,
		...queueLine(runs, now),
		`groups     ${rest.groups} waiting`,
		`jobs       ${rest.jobs.count}${nextJob === '' ? '' : `, the next one fires ${nextJob}`}`,
		...rest.servers.map(
			(server, index) => `${index === 0 ? 'servers' : '       '}    ${serverText(server)}`,
		),
		...(rest.approvals === 0 ? [] : [`approvals  ${rest.approvals} waiting: svc approvals list`]),
		`model      ${model ? `${model.name} (${model.origin})` : 'none'}${rest.model_problem ? `: ${rest.model_problem}` : ''}`,
		...platforms.map(
			({name, state, reason, nextTry}) =>
				`platform   ${name}: ${state}${reason ? ` (${reason})` : ''}${nextTry === undefined ? '' : `, asked again at ${dayTime(nextTry)}`}`,
		),
		...rest.slips.map(slip => `slip       ${errorText(slip)}`),
		...rest.config_problems
			.filter(({message}) => !rest.slips.some(({problem}) => problem.includes(message)))
			.map(problem => `${problem.severity.padEnd(10)} ${formatDiagnostic(problem)}`),
		...ofStore.map(
			({name, text, help}) => `${name.padEnd(10)} ${text}${help === undefined ? '' : `: ${help}`}`,
		),
		...(rest.restart_needed.length === 0
			? []
			: [`restart    needed for ${rest.restart_needed.join(', ')}`]),
		...(rest.journal_failing && ofStore.length === 0
			? [`journal    FAILING: ${rest.journal_failing}`]
			: []),
	];
}

/** An unavailable store is reported once, in its own line. */
const otherReason = (reason: string, {journal_failing: failing, store}: GatewayStatus): string =>
	reason === failing && store?.kind === 'postgres'
		? 'answers 503 until the store can be used, see below'
		: `refused: ${reason}`;

const serverState = (server: GatewayStatus['webhook'], status: GatewayStatus): string =>
	'url' in server
		? `listening on ${server.url}`
		: 'refused' in server
			? otherReason(server.refused, status)
			: 'disabled';

const seatText = {
	interface: ', with an interface of its own',
	foreground: '',
	background: ', in the background',
} as const;

/** What queued runs wait for; empty if none is queued, or the gateway does not report it. */
function queueLine({queue}: GatewayStatus['runs'], now: number): readonly string[] {
	if (!queue) {
		return [];
	}

	const {worker, login, retry, rate_limit: rateLimit, oldest_due_at: oldest} = queue;
	const age = oldest === null ? undefined : duration(now - oldest);
	const waits = waitWords({worker, rateLimit, login, retry}, age);
	const list = login > 0 ? ' (svc runs list --state queued)' : '';
	return waits === ''
		? []
		: [`waiting    ${waits}${list}; ${queue.places_taken} of ${queue.places} at work`];
}

/** `route push: config.yaml:9:7: Route "push" …; it answers 503`. */
const errorText = ({kind, name, problem, serving}: GatewayStatus['slips'][number]): string =>
	`${kind} ${name}: ${problem}; ${serving ? 'its last good version is in use' : kind === 'route' ? 'its events are answered with 503' : 'not in use'}`;

/** `crm: connected, 3 tools`, `mail of acme: failed, connection refused`. */
function serverText({
	name,
	profile,
	status,
	tools,
	reason,
}: GatewayStatus['servers'][number]): string {
	const owner = profile === 'default' ? '' : ` of ${profile}`;
	return [
		`${name}${owner}: ${status}`,
		...(tools === 0 ? [] : [countOf(tools, 'tool')]),
		...(reason === null ? [] : [reason]),
	].join(', ');
}
