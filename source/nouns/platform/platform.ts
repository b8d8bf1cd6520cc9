import type {PlatformView} from '../../core/config-view.ts';
import {termsOf, textTerm} from '../../core/filter/terms.ts';
import {ageText, dayTime} from '../../terminal/text/time.ts';
import {column, mainColumn, fact, type AsOf, type Noun, type Word} from '../noun.ts';

/** A platform that messages are sent to, with its state. */
export type ListedPlatform = PlatformView & {
	/** The platform's product name. */
	readonly title: string;
	/** The default chat. */
	readonly home_channel?: string;
	/** How to obtain its settings; only where a single platform is shown. */
	readonly set_up?: readonly string[];
};

const words: Readonly<Record<PlatformView['state'], Word>> = {
	connected: {text: '● connected', tone: 'good'},
	connecting: {text: '◐ connecting', tone: 'accent'},
	failed: {text: '✗ failed', tone: 'bad'},
	disabled: {text: '○ disabled', tone: 'quiet'},
};

/** The state of a platform as a word; sign and colour repeat it. */
export const platformWord = ({state}: Pick<PlatformView, 'state'>): Word => words[state];

/** When a failed platform is retried. */
export const nextTryText = (
	{nextTry}: Pick<PlatformView, 'nextTry'>,
	{now}: AsOf,
): string | undefined =>
	nextTry === undefined ? undefined : nextTry <= now ? 'now' : `in ${ageText(nextTry - now)}`;

/** A messaging platform. @see manual/delivery.md#platforms */
export const platformNoun: Noun<ListedPlatform> = {
	one: 'platform',
	many: 'platforms',
	argument: 'name',
	missing: 'platform_unknown',
	id: ({name}) => name,
	name: ({name}) => name,
	columns: [
		mainColumn('name', 12, ({name}) => name),
		column('state', 14, {
			value: platform => platformWord(platform).text,
			tone: platform => platformWord(platform).tone ?? 'plain',
			printed: ({state}) => state,
		}),
		column('next', 8, (platform, known) => nextTryText(platform, known) ?? '-'),
		column('home', {share: 0.3}, platform => platform.home_channel ?? '-'),
		column('reason', {}, ({reason}) => reason ?? '-'),
	],
	printed: {
		columns: ['name', 'state', 'next', 'home', 'reason'],
		whole: ['name', 'state'],
		optional: ['home', 'next'],
		empty: 'No platforms',
	},
	factCells: 10,
	head: platform => [{text: platform.title, tone: 'strong'}, platformWord(platform)],
	facts: ({reason, nextTry, home_channel: home, set_up: setUp = []}) => [
		...fact('reason', reason),
		...fact('next try', nextTry === undefined ? undefined : dayTime(nextTry)),
		...fact('home', home),
		...setUp.map(text => ({text})),
	],
	vocabulary: {
		terms: termsOf<ListedPlatform>({
			state: textTerm(({state}) => state, {
				says: 'its state',
				example: 'state:failed',
				words: ['connected', 'connecting', 'failed', 'disabled'],
			}),
		}),
		haystack: ({name, title, state}) => `${name} ${title} ${state}`.toLowerCase(),
	},
};
