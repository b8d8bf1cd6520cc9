import {formatDiagnostic} from '../config/format-diagnostic.ts';
import type {Approval} from '../core/approval.ts';
import type {AlertKind} from '../core/config-view.ts';
import {compact, countOf, quotedName} from '../core/names.ts';
import {askerWords} from '../core/origin.ts';
import {needsDecision, type Run} from '../core/run.ts';
import {asWord, loginCommand} from '../core/shell-words.ts';
import type {GatewayState} from '../core/state.ts';
import {toolFrom, whereWords} from '../core/tool.ts';
import {lossyRoutes} from '../core/traffic.ts';
import {escapeLine} from '../core/untrusted.ts';

/** Something that needs a person's attention. The text is one escaped line. */
export type Need = {
	/** Identifies the matter, also after a restart; at most 300 characters. */
	readonly key: string;
	/** The kind of alert that reports it; absent: none does. */
	readonly kind?: AlertKind;
	/** One sentence without a final period. */
	readonly text: string;
	/** When it began, in milliseconds since 1970; absent: unknown. */
	readonly since?: number;
	/** When it ends without action, in milliseconds since 1970. */
	readonly until?: number;
	/** The platform concerned. */
	readonly platform?: string;
	/** The command that shows or fixes it, without `svc`. */
	readonly command: string;
	/** What to type at the prompt of `svc --linear` in place of `command`; empty: nothing. */
	readonly answers?: readonly string[];
};

/** A need for the prompt of `svc --linear`: the text, then what to type. */
export const lineOf = ({text, command, answers = [command]}: Need): string =>
	answers.length === 0 ? text : `${text}: ${answers.join(', ')}`;

const maxText = 600;
const maxKey = 300;

/** Shown by the doctor and the interface while no alerts are configured. */
export const noAlerts = 'no chat is told when something needs a person';

/** An example line for `config.yaml`. */
export const alertsExample = 'alerts: [{platform: telegram, chat_id: 12345}]';

/** What needs a person in a state, most urgent first. `now`: milliseconds since 1970. */
export function needsOf(state: GatewayState, now: number): readonly Need[] {
	const {gateway, approvals, runs, installs = [], modelOffer} = state;
	const needs = compact<Need>([
		!gateway.reachable && {
			key: 'lost',
			text: 'The gateway does not answer any more; svc looks for it',
			command: 'gateway status',
			answers: [],
		},
		...approvals.map(approvalNeed),
		modelOffer && {
			key: `model ${modelOffer.provider} ${modelOffer.name}`,
			text: `${modelOffer.provider} ${modelOffer.name} (${modelOffer.origin}) could be used, and costs money`,
			command: '/use-model',
		},
		...loginNeeds(state),
		...runs.filter(isBad).map(runNeed),
		...installs.map(({id, name}) => ({
			key: `install ${id}`,
			text: `A link wants tool server ${quotedName(name)} installed`,
			command: `/install ${id}`,
		})),
		...lossNeeds(state, now),
		...refusals(state),
	]);
	return needs.map(need => ({
		...need,
		key: need.key.slice(0, maxKey),
		text: escapeLine(need.text, maxText),
	}));
}

const isBad = (run: Run): boolean => run.state === 'failed' || needsDecision(run);

function approvalNeed(approval: Approval): Need {
	const {id, run, requestedAt, deadline} = approval;
	const what =
		approval.kind === 'tool'
			? `${quotedName(approval.tool.tool)} ${whereWords(toolFrom(approval.tool))}`
			: `a form of ${quotedName(approval.server)}`;
	const asker = askerWords(approval, quotedName);
	const whom = run === undefined ? 'a person who tries it' : `run #${run}`;
	return {
		key: `approval ${id}`,
		kind: 'approval',
		text: `Approval ${id} waits: ${what}, for ${whom}${asker === '' ? '' : ` of ${asker}`}`,
		since: requestedAt,
		until: deadline,
		command: 'approvals list',
		answers: [
			`approvals ${approval.kind === 'tool' ? 'allow' : 'fill'} ${id}`,
			`approvals deny ${id}`,
		],
	};
}

function runNeed(run: Run): Need {
	const {id, route, state, error, finishedAt} = run;
	const isToDecide = needsDecision(run);
	return {
		// A run that was retried and is dead again is a new matter.
		key: `run ${id} ${state} ${finishedAt ?? ''}`,
		...(isToDecide && {kind: 'dead'}),
		text: isToDecide
			? `Run #${id} of ${route} is ${state}, a person decides`
			: `Run #${id} of ${route} failed${error === undefined ? '' : `, ${error}`}`,
		...(finishedAt !== undefined && {since: finishedAt}),
		command: `runs show ${id}`,
		...(isToDecide && {answers: [`runs show ${id}`, `runs retry ${id}`, `runs drop ${id}`]}),
	};
}

const loginNeeds = ({servers}: GatewayState): readonly Need[] =>
	servers
		.filter(({status}) => status === 'needs login')
		.map(server => ({
			key: `login ${server.profile} ${server.name}`,
			kind: 'login',
			text: `Tool server ${quotedName(server.name)} needs a login`,
			since: server.since,
			command: loginCommand(server).replace(/^svc /, ''),
		}));

const lossNeeds = (state: GatewayState, now: number): readonly Need[] =>
	lossyRoutes(state, now).map(({route, profile, count, why, status, remedy}) => ({
		key: `loss ${status === 429 ? '' : `${status} `}${profile}/${route}`,
		kind: 'lost',
		text: `Route ${quotedName(route)} loses events ${why}, ${countOf(count, 'event')} within the hour; ${remedy}`,
		command: `webhook edit ${asWord(route)}`,
	}));

/** Items that are unusable as configured, or do not respond. */
function refusals(state: GatewayState): readonly Need[] {
	const errors = state.problems.filter(({severity}) => severity === 'error');
	const told = errors.map(formatDiagnostic);
	return [
		...errors.map(problem => ({
			// Without the line number, which edits above it change.
			key: `problem ${problem.key} ${problem.message} ${problem.file}`,
			text: `The configuration is refused: ${formatDiagnostic(problem)}`,
			command: 'config check',
		})),
		// A refused part reports the same problem that caused the refusal.
		...partNeeds(state).filter(({text}) => !told.some(problem => text.includes(problem))),
	].map(need => ({...need, kind: 'refused'}));
}

const partNeeds = (state: GatewayState): readonly Need[] =>
	compact<Need>([
		...listenerNeeds(state),
		state.modelSilence && {
			key: 'model silent',
			text: `Runs fail, as the model does not answer: ${state.modelSilence.reason}`,
			since: state.modelSilence.since,
			command: 'doctor',
		},
		state.modelProblem !== undefined && {
			key: 'model',
			text: `Runs will fail: ${state.modelProblem}`,
			command: 'doctor',
		},
		...state.routes.map(({name, source, profile, problem, stale}) => {
			const reason = problem ?? stale;
			// Problems of static routes are reported as problems of the configuration.
			return (
				reason !== undefined &&
				source !== 'static' && {
					key: `route ${profile}/${name}`,
					text: `Route ${quotedName(name)} is not served${problem === undefined ? ' as it is written' : ''}: ${reason}`,
					command: 'webhook list',
				}
			);
		}),
		...state.servers
			.filter(({status}) => status === 'failed' || status === 'parked')
			.map(server => ({
				key: `server ${server.profile} ${server.name}`,
				text: `Tool server ${quotedName(server.name)} is ${server.status}${because(server.reason)}`,
				since: server.since,
				command: `${ofProfile(server.profile)}mcp test ${asWord(server.name)}`,
			})),
		...state.platforms
			.filter(({state: standing}) => standing === 'failed')
			.map(({name, reason}) => ({
				key: `platform ${name}`,
				text: `Platform ${name} has failed${because(reason)}`,
				platform: name,
				command: `platforms show ${name}`,
			})),
		...state.jobs
			.filter(({state: standing}) => standing === 'invalid')
			.map(({id, name, profile, problem}) => ({
				key: `job ${profile} ${id}`,
				text: `Job ${quotedName(name)} does not fire${because(problem)}`,
				command: `${ofProfile(profile)}cron show ${id}`,
			})),
	]);

function listenerNeeds({webhook, api}: GatewayState) {
	const listeners = [
		['receiver', 'Webhooks are not received', webhook],
		['api', 'The chat API is not served', api],
	] as const;
	return listeners.map(
		([key, text, listener]) =>
			listener?.state === 'refused' && {
				key: `${key} ${listener.reason}`,
				text: `${text}: ${listener.reason}`,
				since: listener.since,
				command: 'gateway status',
			},
	);
}

const because = (reason: string | undefined): string => (reason === undefined ? '' : `: ${reason}`);

const ofProfile = (profile: string): string => (profile === 'default' ? '' : `-p ${profile} `);
