import type {AlertView, PlatformView} from '../../core/config-view.ts';
import type {GatewayState, WebhookState} from '../../core/state.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import type {GatewayStatus} from '../../gateway/port.ts';
import {alertsExample, noAlerts} from '../../nouns/needs.ts';
import {nextTryText, platformWord} from '../../nouns/platform/platform.ts';
import {storeRows} from '../../nouns/store.ts';
import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {dayTime} from '../../terminal/text/time.ts';
import {type Span} from '../lines/line.ts';
import type {Host} from '../shell/shell.ts';
import type {LoadSource} from '../state/source.ts';
import type {Tone} from '../theme/theme.ts';

/** A part of the gateway: its state, and a remedy. */
export type ProcessPart = {
	readonly name: Safe;
	readonly word: Span;
	readonly more?: Safe | undefined;
	readonly help?: string | undefined;
};

/** The state of the webhook receiver. */
export const receiverPart = ({webhook}: GatewayState): ProcessPart =>
	serverPart(literal('receiver'), webhook, {
		again: ' r tries again, in any pane.',
		setting: 'platforms.webhook.enabled',
	});

/** The state of the chat API; empty if the gateway does not report it. */
export const chatApiParts = ({api, keys}: GatewayState): readonly ProcessPart[] =>
	api
		? [
				{
					...serverPart(literal('chat API'), api, {
						path: '/v1',
						setting: 'api.enabled',
					}),
					...(api.state === 'listening' &&
						keys?.length === 0 && {help: 'There is no key, so everybody is refused: 9, then a.'}),
				},
			]
		: [];

const listenWords: Readonly<Record<WebhookState['state'], Span>> = {
	listening: {text: literal('● listens'), tone: 'good'},
	starting: {text: literal('◐ starting'), tone: 'accent'},
	refused: {text: literal('✗ cannot listen'), tone: 'bad'},
	disabled: {text: literal('○ off'), tone: 'quiet'},
	closed: {text: literal('○ closed'), tone: 'quiet'},
};

type ServerLook = {readonly path?: string; readonly again?: string; readonly setting: string};

/** A server of the gateway, with a remedy if it does not listen. */
function serverPart(
	name: Safe,
	server: WebhookState,
	{path = '', again = '', setting}: ServerLook,
): ProcessPart {
	const part = {name, word: listenWords[server.state]};
	switch (server.state) {
		case 'listening':
			return {...part, more: escapeLine(server.url + path)};
		case 'refused':
			return {
				...part,
				more: safe`since ${dayTime(server.since)}`,
				help: `${server.reason}.${again}`,
			};
		case 'disabled':
			return {...part, help: `${setting} in config.yaml turns it on.`};
		case 'starting':
		case 'closed':
			return part;
	}
}

/** From this delay of the event loop on, the loop slows requests down. */
const slowLoopMs = 100;

/** How busy the process is, and its memory. */
export function processParts({health}: GatewayState): readonly ProcessPart[] {
	if (!health) {
		return [];
	}

	const loopMs = Math.round(health.loopDelayP99Ms);
	const isSlow = loopMs >= slowLoopMs;
	return [
		{
			name: literal('loop delay'),
			word: {
				text: safe`${isSlow ? literal('!') : literal('●')} ${loopMs} ms`,
				tone: isSlow ? 'warn' : 'good',
			},
			help: isSlow
				? 'The process is busy: requests wait that long. Large payloads and scripts take most.'
				: undefined,
		},
		{
			name: literal('memory'),
			word: {text: safe`● ${Math.round(health.rssBytes / 1e6)} MB`, tone: 'good'},
		},
	];
}

/** The state of each platform that receives answers. */
export const platformParts = (
	platforms: readonly PlatformView[],
	now: number,
): readonly ProcessPart[] =>
	platforms.map(platform => {
		const {name, state, reason} = platform;
		const {text, tone} = platformWord(platform);
		const next = nextTryText(platform, {now});
		return {
			name: escapeLine(name),
			word: {text: escapeLine(text), ...(tone && {tone})},
			more: next === undefined ? undefined : safe`it is asked again ${escapeLine(next)}`,
			help:
				state === 'failed'
					? `${reason ?? 'It does not answer'}. See platforms.${name} in config.yaml; svc platforms test ${name} asks it now.`
					: undefined,
		};
	});

/** The chats of `alerts`, or a row that says there are none; empty if the gateway does not report them. */
export function alertParts(alerts: readonly AlertView[] | undefined): readonly ProcessPart[] {
	const name = literal('alerts');
	return alerts?.length === 0
		? [
				{
					name,
					word: {text: literal('○ none'), tone: 'quiet'},
					more: escapeLine(noAlerts),
					help: `${alertsExample} in config.yaml changes that: svc help alerts.`,
				},
			]
		: (alerts ?? []).map(({platform, chat = 'home channel', on, sentAt, problem}) => ({
				name,
				word:
					problem === undefined
						? {text: escapeLine(`● ${platform} ${chat}`), tone: 'good'}
						: {text: escapeLine(`! ${platform} ${chat}`), tone: 'warn'},
				more: safe`${escapeLine(on.join(', '))}${sentAt === undefined ? empty : safe`, last at ${dayTime(sentAt)}`}`,
				help: problem,
			}));
}

/** How often the shared store's state is loaded while this dialog is open, in milliseconds. */
const storeMs = 2000;

const storeStatus: LoadSource<GatewayStatus> = {load: async port => port.status()};

const storeSigns: Readonly<Partial<Record<Tone, Safe>>> = {
	good: literal('● '),
	warn: literal('! '),
	bad: literal('✗ '),
};

/** Loads the store's state, if gateways share one. */
export function wantStore({feed, loader}: Pick<Host, 'feed' | 'loader'>): void {
	const {state, now} = feed.get();
	const key = state.cluster ? String(Math.floor(now / storeMs)) : '';
	loader(storeStatus).want(key, {kind: 'steady', ms: storeMs});
}

const away = {kind: 'postgres', ok: false} as const;

/** The shared store and its members, as in `svc gateway status`. */
export function storeParts({feed, loader}: Pick<Host, 'feed' | 'loader'>): readonly ProcessPart[] {
	const {state, now} = feed.get();
	const {storeFailing = null, storeFailingSince: since} = state;
	const loaded = loader(storeStatus).last()?.value;
	if (!state.cluster || !loaded) {
		return [];
	}

	const status =
		storeFailing === null ? loaded : {...loaded, journal_failing: storeFailing, store: away};
	return storeRows(status, now).map(({name, text, tone, help}) => ({
		name: literal(name),
		word: {text: safe`${storeSigns[tone] ?? empty}${escapeLine(text)}`, tone},
		more: name === 'store' && since !== undefined ? safe`since ${dayTime(since)}` : undefined,
		help,
	}));
}
