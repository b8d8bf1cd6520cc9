import {escapeLine, type Safe} from '../../core/untrusted.ts';
import type {GatewayStatus} from '../../gateway/port.ts';
import type {Tone} from '../../nouns/noun.ts';
import {storeRows} from '../../nouns/store.ts';
import {empty, literal, safe} from '../../terminal/text/safe.ts';
import {dayTime} from '../../terminal/text/time.ts';
import type {Host} from '../shell/shell.ts';
import type {LoadSource} from '../state/source.ts';
import type {Part} from './process-parts.ts';

/** How often the gateway is asked how it shares its store while the states are open, milliseconds. */
const storeMs = 2000;

const storeStatus: LoadSource<GatewayStatus> = {load: async port => port.status()};

const storeSigns: Readonly<Partial<Record<Tone, Safe>>> = {
	good: literal('● '),
	warn: literal('! '),
	bad: literal('✗ '),
};

/** Asks for it where gateways share the store. */
export function wantStore({feed, loader}: Pick<Host, 'feed' | 'loader'>): void {
	const {state, now} = feed.get();
	const key = state.cluster ? String(Math.floor(now / storeMs)) : '';
	loader(storeStatus).want(key, {kind: 'steady', ms: storeMs});
}

const away = {kind: 'postgres', ok: false} as const;

/** The store that gateways share, and its members, as `svc gateway status` has them. */
export function storeParts({feed, loader}: Pick<Host, 'feed' | 'loader'>): readonly Part[] {
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
		...(name === 'store' && since !== undefined && {more: safe`since ${dayTime(since)}`}),
		...(help !== undefined && {help}),
	}));
}
