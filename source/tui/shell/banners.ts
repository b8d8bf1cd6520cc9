import {compact} from '../../core/names.ts';
import type {GatewayState} from '../../core/state.ts';
import type {LossyRoute} from '../../core/traffic.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {
	askedBy,
	askedFor,
	askingServer,
	deadlineText,
} from '../../nouns/approval/approval-words.ts';
import {clip, widthOf} from '../../terminal/text/fit.ts';
import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {clockTime} from '../../terminal/text/time.ts';
import {type Line} from '../lines/line.ts';
import type {Tone} from '../theme/theme.ts';

/**
 * A message above the pane until its cause is gone. `helps`: a remedy. `isOfPart`: it describes the state of a part of the gateway, which the dialog of states
 * shows as well.
 */
export type Banner = {
	readonly text: Safe;
	readonly helps?: Safe;
	readonly tone: Tone;
	readonly isOfPart?: true;
};

/** The parts of the state that banners depend on. */
export const bannerParts = [
	...(['gateway', 'webhook', 'api', 'problems', 'platforms', 'routes', 'approvals'] as const),
	...(['installs', 'model', 'modelOffer', 'modelProblem', 'modelSilence'] as const),
];

/** The input of banners. */
export type BannerState = Pick<GatewayState, (typeof bannerParts)[number]> & {
	/** Routes that drop events, newest loss first. */
	readonly lossy: readonly LossyRoute[];
	readonly loginAlarm: Safe | undefined;
};

/** Everything a person must know in every pane, worst first. */
export const bannersOf = (state: BannerState, now: number): readonly Banner[] =>
	compact([
		gatewayBanner(state),
		approvalBanner(state, now),
		installBanner(state, now),
		webhookBanner(state),
		failingModelBanner(state),
		loginBanner(state),
		platformBanner(state),
		lossBanner(state),
		configBanner(state),
		routeBanner(state),
		apiBanner(state),
		modelBanner(state),
	]);

/** The fewest cells for the problem, before its remedy. */
const fewestCells = 8;

/** The worst banner in a row of `width` cells, with the number of others. The problem is cut before its remedy. `undefined` without banners. */
export function bannerLine([first, ...others]: readonly Banner[], width: number): Line | undefined {
	if (!first) {
		return undefined;
	}

	const {text, helps, tone} = first;
	const more = others.length > 0 ? safe`  +${others.length} in H` : empty;
	const room = width - widthOf(more);
	const tail = helps === undefined ? empty : clip(safe` · ${helps}`, room - fewestCells);
	return [
		{text: safe`${clip(text, room - widthOf(tail))}${tail}`, tone},
		{text: more, tone: 'warn'},
	];
}

function gatewayBanner({gateway}: BannerState): Banner | undefined {
	if (!gateway.reachable) {
		return {
			text: safe`✗ gateway process ${gateway.pid} does not answer · all of this is old`,
			helps: literal('S starts one'),
			tone: 'bad',
			isOfPart: true,
		};
	}

	if (gateway.skipped !== undefined) {
		const text = safe`! something that the gateway said cannot be read (${escapeLine(gateway.skipped)}): this may lack something until it is asked again`;
		return {text, tone: 'warn'};
	}

	return gateway.stopping ? {text: literal('! the gateway is stopping'), tone: 'warn'} : undefined;
}

/** The oldest request, which `!` opens; the status row shows how many wait. */
function approvalBanner({approvals: [first]}: BannerState, now: number): Banner | undefined {
	const what =
		first?.kind === 'tool' ? clip(askedFor(first), maxNameCells) : literal('a form filled in');
	return (
		first && {
			text: safe`! ${clip(askingServer(first), maxNameCells)} wants ${what} for ${askedBy(first.run)}`,
			// The deadline must be seen in time.
			helps: safe`${deadlineText(first, now)} · ! to review`,
			tone: 'warn',
		}
	);
}

/** The oldest install link opened outside of the interface. Its server's name consists of letters and digits. */
function installBanner({installs = []}: BannerState, now: number): Banner | undefined {
	const [first, ...others] = installs.filter(({expiresAt}) => expiresAt > now);
	return (
		first && {
			text: safe`! a link wants tool server ${clip(escapeLine(first.name), maxNameCells)} installed${moreText(others)}`,
			helps: literal('I to look at it'),
			tone: 'warn',
		}
	);
}

/** ` (+2)`: how many more there are besides the first. */
export const moreText = ({length}: readonly unknown[]): Safe =>
	length > 0 ? safe` (+${length})` : empty;

/** A long name must not push the deadline out of the banner. */
export const maxNameCells = 32;

const webhookBanner = ({webhook}: BannerState): Banner | undefined =>
	webhook.state === 'refused'
		? {
				text: safe`✗ webhooks are not received: ${escapeLine(webhook.reason)}`,
				helps: literal('r retry'),
				tone: 'bad',
				isOfPart: true,
			}
		: undefined;

const apiBanner = ({api}: BannerState): Banner | undefined =>
	api?.state === 'refused'
		? {
				text: safe`✗ the chat API is not served: ${escapeLine(api.reason)}`,
				tone: 'bad',
				isOfPart: true,
			}
		: undefined;

const loginBanner = ({loginAlarm: text}: BannerState): Banner | undefined =>
	text && {text, helps: literal('see Logins'), tone: 'warn'};

/** A platform that no answer can be delivered to; its runs are retried until they are dead. */
function platformBanner({platforms}: BannerState): Banner | undefined {
	const [first, ...others] = platforms.filter(({state}) => state === 'failed');
	return (
		first && {
			text: safe`! ${escapeLine(first.name)}${moreText(others)} has failed: ${escapeLine(first.reason ?? 'it does not answer')}`,
			helps: safe`svc platforms test ${escapeLine(first.name)} asks it now`,
			tone: 'warn',
			isOfPart: true,
		}
	);
}

/** Routes that answer 429, after which code hosts never retry. */
const lossBanner = ({lossy: [first, ...others]}: BannerState): Banner | undefined =>
	first && {
		text: safe`! ${clip(escapeLine(first.route), maxNameCells)}${moreText(others)} loses events ${escapeLine(first.why)}, the last at ${clockTime(first.lastAt)}`,
		helps: escapeLine(first.remedy),
		tone: 'warn',
	};

function configBanner({problems, gateway}: BannerState): Banner | undefined {
	const [first] = problems.toSorted((a, b) => severity(a.severity) - severity(b.severity));
	if (!first) {
		return undefined;
	}

	// A row of 80 cells has no room for the folder, and the key has to be readable.
	const file = first.file.replace(`${gateway.home}/`, '');
	const position = first.line > 0 ? `:${first.line}:${first.column}` : '';
	const key = first.key === '' ? '' : ` ${first.key}:`;
	const isError = first.severity === 'error';
	return {
		text: escapeLine(
			`${isError ? '✗ configuration' : '! configuration'}: ${file}${position}${key} ${first.message}`,
		),
		...(problems.length > 1 && {helps: safe`svc config check names all ${problems.length}`}),
		tone: isError ? 'bad' : 'warn',
	};
}

/** A broken dynamic route; one in `config.yaml` counts as a problem of the configuration. */
function routeBanner({routes}: BannerState): Banner | undefined {
	const [first, ...others] = routes.filter(
		({source, problem, stale}) => source === 'dynamic' && (problem ?? stale) !== undefined,
	);
	const what =
		first?.problem === undefined ? literal('is served as it was') : literal('is not served');
	return (
		first && {
			text: safe`! route ${clip(escapeLine(first.name), maxNameCells)}${moreText(others)} ${what}: ${escapeLine(first.problem ?? first.stale ?? '')}`,
			helps: literal('see Routes'),
			tone: 'warn',
		}
	);
}

const severity = (name: 'error' | 'warning') => (name === 'error' ? 0 : 1);

function failingModelBanner({modelProblem, modelSilence}: BannerState): Banner | undefined {
	const text =
		modelProblem === undefined
			? modelSilence &&
				safe`✗ runs fail since ${clockTime(modelSilence.since)}: ${escapeLine(modelSilence.reason)}`
			: safe`✗ runs will fail: ${escapeLine(modelProblem)}`;
	return text && {text, tone: 'bad', isOfPart: true};
}

function modelBanner({model, modelOffer}: BannerState): Banner | undefined {
	if (modelOffer) {
		const offer = escapeLine(`${modelOffer.provider} ${modelOffer.name} (${modelOffer.origin})`);
		return {
			text: safe`! ${offer} can answer, but costs money`,
			helps: literal('M use it'),
			tone: 'warn',
		};
	}

	return model?.provider === 'offline'
		? {
				text: safe`! no language model (${escapeLine(model.name)})`,
				helps: literal('set "model:" in config.yaml'),
				tone: 'warn',
				isOfPart: true,
			}
		: undefined;
}
