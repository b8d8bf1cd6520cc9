import type {LossyRoute} from '../../core/lost-events.ts';
import type {GatewayState} from '../../core/state.ts';
import type {Safe} from '../../core/untrusted.ts';
import {
	askedBy,
	askedFor,
	askingServer,
	deadlineText,
} from '../../nouns/approval/approval-words.ts';
import {clip} from '../../terminal/text/fit.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {clockTime} from '../../terminal/text/time.ts';
import {clean, line, wrapText, type Line} from '../lines/line.ts';
import type {Tone} from '../theme/theme.ts';

/** Something above the pane that stays until its cause is gone. */
type Banner = {readonly text: Safe; readonly tone: Tone};

/** What banners are made of. */
export type BannerState = Pick<
	GatewayState,
	| 'gateway'
	| 'webhook'
	| 'api'
	| 'problems'
	| 'model'
	| 'modelOffer'
	| 'modelProblem'
	| 'approvals'
	| 'installs'
	| 'platforms'
> & {
	/** Routes that turn events away, the newest loss first. */
	readonly lossy: readonly LossyRoute[];
	readonly loginAlarm: Safe | undefined;
};

/** Rows that all banners have together. */
export const maxBannerRows = 4;

const maxBanners = 3;
const indent = 2;
/** A screen of fewer rows needs them for the pane: its banners have a row less. */
const roomyRows = 30;

/**
 * What a person has to know whatever pane is open, worst first: at most three banners in four rows of `width` cells, or in three on a screen of few `rows`. A banner that
 * does not fit gets a second row as long as there are any.
 */
export function bannerLines(
	state: BannerState,
	{
		width,
		rows: ofScreen,
		now,
	}: {readonly width: number; readonly rows: number; readonly now: number},
): readonly Line[] {
	const banners = [
		gatewayBanner(state),
		approvalBanner(state, now),
		installBanner(state, now),
		webhookBanner(state),
		loginBanner(state),
		platformBanner(state),
		lossBanner(state),
		configBanner(state),
		apiBanner(state),
		modelBanner(state),
	]
		.filter(banner => banner !== undefined)
		.slice(0, maxBanners);
	const most = ofScreen < roomyRows ? maxBannerRows - 1 : maxBannerRows;
	let spare = most - banners.length;
	return banners.flatMap(({text, tone}) => {
		const rows = spare > 0 ? twoRows(text, width) : [text];
		spare -= rows.length - 1;
		return rows.map(row => line(row, tone));
	});
}

function twoRows(text: Safe, width: number): readonly Safe[] {
	const [first = text, ...rest] = wrapText(text, width);
	return rest.length === 0
		? [first]
		: [first, safe`${clean(' '.repeat(indent))}${clip(clean(rest.join(' ')), width - indent)}`];
}

function gatewayBanner({gateway}: BannerState): Banner | undefined {
	if (!gateway.reachable) {
		const text = safe`✗ gateway process ${gateway.pid} does not answer · S starts one · all of this is old`;
		return {text, tone: 'bad'};
	}

	if (gateway.skipped !== undefined) {
		const text = safe`! something that the gateway said cannot be read (${clean(gateway.skipped)}): this may lack something until it is asked again`;
		return {text, tone: 'warn'};
	}

	return gateway.stopping ? {text: literal('! the gateway is stopping'), tone: 'warn'} : undefined;
}

/** The oldest request, as `!` opens it; how many wait stands in the status row. */
function approvalBanner({approvals}: BannerState, now: number): Banner | undefined {
	const [first] = approvals;
	if (!first) {
		return undefined;
	}

	const wants =
		first.kind === 'tool'
			? safe`wants ${clip(askedFor(first), maxNameCells)}`
			: literal('wants a form filled in');
	return {
		text: safe`! ${clip(askingServer(first), maxNameCells)} ${wants} for ${askedBy(first.run)} · ${deadlineText(first, now)} · ! to review`,
		tone: 'warn',
	};
}

/** The oldest link that was opened outside; its server's name is of letters and digits. */
function installBanner({installs = []}: BannerState, now: number): Banner | undefined {
	const [first, ...others] = installs.filter(({expiresAt}) => expiresAt > now);
	const more = others.length > 0 ? ` (+${others.length})` : '';
	return first
		? {
				text: safe`! a link wants tool server ${clip(clean(first.name), maxNameCells)} installed${clean(more)} · I to look at it`,
				tone: 'warn',
			}
		: undefined;
}

/** A long name must not push the deadline out of the banner. */
const maxNameCells = 32;

const webhookBanner = ({webhook}: BannerState): Banner | undefined =>
	webhook.state === 'refused'
		? {
				text: safe`✗ webhooks are not received: ${clean(webhook.reason)} · r retry`,
				tone: 'bad',
			}
		: undefined;

const apiBanner = ({api}: BannerState): Banner | undefined =>
	api?.state === 'refused'
		? {text: safe`✗ the chat API is not served: ${clean(api.reason)}`, tone: 'bad'}
		: undefined;

const loginBanner = ({loginAlarm: text}: BannerState): Banner | undefined =>
	text && {text, tone: 'warn'};

/** No answer arrives there, and runs are tried again until they are dead. */
function platformBanner({platforms}: BannerState): Banner | undefined {
	const [first, ...others] = platforms.filter(({state}) => state === 'failed');
	if (!first) {
		return undefined;
	}

	const more = others.length > 0 ? ` (+${others.length})` : '';
	return {
		text: safe`! ${clean(first.name)}${clean(more)} has failed: ${clean(first.reason ?? 'it does not answer')} · H states`,
		tone: 'warn',
	};
}

/** Code hosts never send again what was answered 429. */
function lossBanner({lossy}: BannerState): Banner | undefined {
	const [first, ...others] = lossy;
	if (!first) {
		return undefined;
	}

	const more = others.length > 0 ? ` (+${others.length})` : '';
	return {
		text: safe`! ${clip(clean(first.route), maxNameCells)}${clean(more)} loses events above its rate_limit, the last at ${clockTime(first.lastAt)} · ${clean(first.remedy)}`,
		tone: 'warn',
	};
}

function configBanner({problems}: BannerState): Banner | undefined {
	const [first] = problems.toSorted((a, b) => severity(a.severity) - severity(b.severity));
	if (!first) {
		return undefined;
	}

	const position = first.line > 0 ? `:${first.line}:${first.column}` : '';
	const key = first.key === '' ? '' : ` ${first.key}:`;
	const more = problems.length > 1 ? ` (+${problems.length - 1})` : '';
	const isError = first.severity === 'error';
	return {
		text: clean(
			`${isError ? '✗ configuration' : '! configuration'}: ${first.file}${position}${key} ${first.message}${more}`,
		),
		tone: isError ? 'bad' : 'warn',
	};
}

const severity = (name: 'error' | 'warning') => (name === 'error' ? 0 : 1);

function modelBanner({gateway, model, modelOffer, modelProblem}: BannerState): Banner | undefined {
	if (modelProblem !== undefined) {
		return {text: safe`✗ runs will fail: ${clean(modelProblem)}`, tone: 'bad'};
	}

	if (modelOffer) {
		const offer = clean(`${modelOffer.provider} ${modelOffer.name} (${modelOffer.origin})`);
		return {text: safe`! ${offer} can answer, but costs money · M use it`, tone: 'warn'};
	}

	return model?.provider === 'offline'
		? {
				text: safe`! no language model (${clean(model.name)}) · set "model:" in ${clean(gateway.home)}/config.yaml`,
				tone: 'warn',
			}
		: undefined;
}
