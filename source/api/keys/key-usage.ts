import {randomUUID} from 'node:crypto';
import {
	type ApiKey,
	type BudgetPeriod,
	type KeyDay,
	type KeyUsage,
	periodStart,
} from '../../core/api-key.ts';
import {dayOf} from '../../core/clock.ts';
import {messageOf, SvcError} from '../../core/errors.ts';
import {sumOfCounts} from '../../core/run.ts';
import type {KeyUse, StoredKeys} from '../../store/key-port.ts';

/** Usage of keys in memory: as much of the past as budgets need, and what is not on disk yet. */
export type KeyUsages = ReturnType<typeof createKeyUsages>;

/** Usage that is written together. */
export type UsageBatch = {
	readonly id: string;
	readonly uses: readonly KeyUse[];
	readonly usedAt: ReadonlyMap<string, number>;
};

const nothing: KeyUsage = {requests: 0, inputTokens: 0, outputTokens: 0};

const sumOf = (a: KeyUsage, b: KeyUsage): KeyUsage => ({
	requests: a.requests + b.requests,
	inputTokens: sumOfCounts(a.inputTokens, b.inputTokens),
	outputTokens: sumOfCounts(a.outputTokens, b.outputTokens),
});

/** How many days of usage are kept: more than the longest budget period, a month, with the week that began before it. */
const rememberedDays = 40;

const dayMs = 86_400_000;

/** @param stored the usage in the journal: of the last {@link rememberedDays} days, and in total */
export function createKeyUsages({
	recent,
	totals,
}: {
	readonly recent: readonly KeyUse[];
	readonly totals: ReadonlyArray<KeyUsage & {readonly id: string}>;
}) {
	const days = new Map<string, Map<string, KeyUsage>>();
	const all = new Map(totals.map(({id, ...usage}) => [id, usage]));
	let unwritten = new Map<string, KeyUse>();
	let usedAt = new Map<string, number>();
	let batch: UsageBatch | undefined;
	const remember = (id: string, day: string, used: KeyUsage) => {
		const byDay = days.get(id) ?? new Map<string, KeyUsage>();
		days.set(id, byDay.set(day, sumOf(byDay.get(day) ?? nothing, used)));
		if (byDay.size > rememberedDays) {
			const [oldest] = [...byDay.keys()].toSorted();
			byDay.delete(oldest ?? '');
		}
	};

	for (const {id, day, ...used} of recent) {
		remember(id, day, used);
	}

	const note = (use: KeyUse) => {
		const name = `${use.id} ${use.day}`;
		unwritten.set(name, {...use, ...sumOf(unwritten.get(name) ?? nothing, use)});
	};

	const since = (id: string, day: string): KeyUsage =>
		[...(days.get(id) ?? [])]
			.filter(([one]) => one >= day)
			.reduce((sum, [, used]) => sumOf(sum, used), nothing);

	return {
		/** A request has begun: the key is in use from now on, while usage counts when the request ends. */
		begin(id: string, at: number): void {
			usedAt.set(id, at);
		},
		/** Counts usage. */
		add(id: string, at: number, used: KeyUsage): void {
			const day = dayOf(at);
			remember(id, day, used);
			all.set(id, sumOf(all.get(id) ?? nothing, used));
			note({id, day, ...used});
			usedAt.set(id, at);
		},
		of: ({id, budget}: Pick<ApiKey, 'id' | 'budget'>, at: number): ApiKey['usage'] => ({
			day: since(id, dayOf(at)),
			period: since(id, dayOf(periodStart(at, budget?.per ?? 'month'))),
			all: all.get(id) ?? nothing,
		}),
		/** A key's use on each day in memory, oldest first. */
		daysOf: (id: string): readonly KeyDay[] =>
			[...(days.get(id) ?? [])]
				.map(([day, used]) => ({day, ...used}))
				.toSorted((one, other) => (one.day < other.day ? -1 : 1)),
		/** Tokens used since the beginning of the period that contains `at`. */
		tokensOf(id: string, at: number, per: BudgetPeriod): number {
			const {inputTokens, outputTokens} = since(id, dayOf(periodStart(at, per)));
			return sumOfCounts(inputTokens, outputTokens);
		},
		/** Replaces the usage of these keys by what the store has, each since `day` and in total; usage not yet on disk is added. */
		refresh(
			ids: readonly string[],
			stored: {
				readonly day: string;
				readonly recent: readonly KeyUse[];
				readonly totals: ReadonlyArray<KeyUsage & {readonly id: string}>;
			},
		): void {
			const waiting = [...(batch?.uses ?? []), ...unwritten.values()].filter(({id}) =>
				ids.includes(id),
			);
			for (const id of ids) {
				const byDay = days.get(id);
				for (const day of [...(byDay?.keys() ?? [])].filter(one => one >= stored.day)) {
					byDay?.delete(day);
				}
			}

			for (const {id, day, ...used} of [...stored.recent, ...waiting]) {
				remember(id, day, used);
			}

			for (const {id, ...usage} of stored.totals) {
				all.set(id, waiting.filter(use => use.id === id).reduce(sumOf, usage));
			}
		},
		/** The keys that were used since the last batch was made. */
		used: (): Iterable<string> => usedAt.keys(),
		/** The usage that is not on disk, as one batch; the same batch until `written` is called, since a failed write may have succeeded. `undefined` when there is none. */
		unwritten(): UsageBatch | undefined {
			if (!batch && usedAt.size > 0) {
				batch = {id: randomUUID(), uses: [...unwritten.values()], usedAt};
				unwritten = new Map();
				usedAt = new Map();
			}

			return batch;
		},
		/** Call once the batch is on disk. */
		written(): void {
			batch = undefined;
		},
	};
}

/** Reads all keys, and their usage in the last {@link rememberedDays} days. @throws SvcError `keys_unreadable` */
export async function readKeys(
	keys: Pick<StoredKeys, 'list' | 'usesSince' | 'totals'>,
	now: number,
) {
	try {
		return await Promise.all([
			keys.list(),
			keys.usesSince(dayOf(now - rememberedDays * dayMs)),
			keys.totals(),
		]);
	} catch (error) {
		throw new SvcError(
			'keys_unreadable',
			`Cannot read the keys of the chat API in the journal ("svc doctor" says what to do): ${messageOf(error)}`,
			{cause: error},
		);
	}
}
