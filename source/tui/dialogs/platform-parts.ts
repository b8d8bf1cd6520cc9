import type {AlertView, PlatformView} from '../../core/config-view.ts';
import {escapeLine} from '../../core/untrusted.ts';
import {alertsExample, noAlerts} from '../../nouns/needs.ts';
import {nextTryText, platformWord} from '../../nouns/platform/platform.ts';
import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {dayTime} from '../../terminal/text/time.ts';
import type {Part} from './process-parts.ts';

/** How each platform stands that answers are delivered to. */
export const platformParts = (platforms: readonly PlatformView[], now: number): readonly Part[] =>
	platforms.map(platform => {
		const {name, state, reason} = platform;
		const {text, tone} = platformWord(platform);
		const next = nextTryText(platform, {now});
		return {
			name: escapeLine(name),
			word: {text: escapeLine(text), ...(tone && {tone})},
			...(next !== undefined && {more: safe`it is asked again ${escapeLine(next)}`}),
			...(state === 'failed' && {
				help: `${reason ?? 'It does not answer'}. See platforms.${name} in config.yaml; svc platforms test ${name} asks it now.`,
			}),
		};
	});

/** The chats of `alerts`; a row that says so where there are none. Nothing where the gateway does not say. */
export function alertParts(alerts: readonly AlertView[] | undefined): readonly Part[] {
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
				...(problem !== undefined && {help: problem}),
			}));
}
