import type {GatewayState, WebhookState} from '../../core/state.ts';
import {type Safe, escapeLine} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {dayTime} from '../../terminal/text/time.ts';
import {type Span} from '../lines/line.ts';

/** One part of the gateway: how it stands, and what a person can do about it. */
export type Part = {
	readonly name: Safe;
	readonly word: Span;
	readonly more?: Safe;
	readonly help?: string;
};

/** How webhooks are received. */
export const receiverPart = ({webhook}: GatewayState): Part =>
	serverPart(literal('receiver'), webhook, {
		url: url => url,
		again: ' r tries again, in any pane.',
		setting: 'platforms.webhook.enabled',
	});

/** Nothing where nobody says how the chat API stands. */
export const chatApiParts = ({api, keys}: GatewayState): readonly Part[] =>
	api
		? [
				{
					...serverPart(literal('chat API'), api, {
						url: url => `${url}/v1`,
						again: '',
						setting: 'api.enabled',
					}),
					...(api.state === 'listening' &&
						keys?.length === 0 && {help: 'There is no key, so everybody is refused: 9, then a.'}),
				},
			]
		: [];

/** A server of the gateway, and what helps where it does not listen. */
function serverPart(
	name: Safe,
	server: WebhookState,
	{
		url,
		again,
		setting,
	}: {readonly url: (url: string) => string; readonly again: string; readonly setting: string},
): Part {
	switch (server.state) {
		case 'listening':
			return {
				name,
				more: escapeLine(url(server.url)),
				word: {text: literal('● listens'), tone: 'good'},
			};
		case 'starting':
			return {name, word: {text: literal('◐ starting'), tone: 'accent'}};
		case 'refused':
			return {
				name,
				more: safe`since ${dayTime(server.since)}`,
				word: {text: literal('✗ cannot listen'), tone: 'bad'},
				help: `${server.reason}.${again}`,
			};
		case 'disabled':
			return {
				name,
				word: {text: literal('○ off'), tone: 'quiet'},
				help: `${setting} in config.yaml turns it on.`,
			};
		case 'closed':
			return {name, word: {text: literal('○ closed'), tone: 'quiet'}};
	}
}

/** Above that the loop is what makes requests slow. */
const slowLoopMs = 100;

/** How busy the process is, and how large. */
export function processParts({health}: GatewayState): readonly Part[] {
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
			...(isSlow && {
				help: 'The process is busy: requests wait that long. Large payloads and scripts take most.',
			}),
		},
		{
			name: literal('memory'),
			word: {text: safe`● ${Math.round(health.rssBytes / 1e6)} MB`, tone: 'good'},
		},
	];
}
