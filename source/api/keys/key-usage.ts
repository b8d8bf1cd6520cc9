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

/** What was used, in memory: as much of the past as any budget asks for, and what is not on the disk yet. */
export type KeyUsages = ReturnType<typeof createKeyUsages>;

/** What is written at once. */
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

/** Days beyond which no period reaches back: a month, and the week that began before it. */
const rememberedDays = 40;

const dayMs = 86_400_000;

/** @param stored what the journal has of the last {@link rememberedDays} days, and all in all */
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
		/** A request has begun: what it uses counts when it ends, but it is in use from now on. */
		begin(id: string, at: number): void {
			usedAt.set(id, at);
		},
		/** Counts now. */
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
		/** What a key used on each day that is remembered, oldest first. */
		daysOf: (id: string): readonly KeyDay[] =>
			[...(days.get(id) ?? [])]
				.map(([day, used]) => ({day, ...used}))
				.toSorted((one, other) => (one.day < other.day ? -1 : 1)),
		/** Tokens since the period began in which `at` is. */
		tokensOf(id: string, at: number, per: BudgetPeriod): number {
			const {inputTokens, outputTokens} = since(id, dayOf(periodStart(at, per)));
			return sumOfCounts(inputTokens, outputTokens);
		},
		/** Takes over what the store has of these keys, all of them since `day` and all in all, in place of what was known; what is not on the disk comes on top. */
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
		/** What is not on the disk, as one batch: the same until it is `written`, as one that could not be written may have been. `undefined`: nothing. */
		unwritten(): UsageBatch | undefined {
			if (!batch && usedAt.size > 0) {
				batch = {id: randomUUID(), uses: [...unwritten.values()], usedAt};
				unwritten = new Map();
				usedAt = new Map();
			}

			return batch;
		},
		/** The batch is on the disk. */
		written(): void {
			batch = undefined;
		},
	};
}

/** All that is known of keys, and what they used in the last {@link rememberedDays} days. @throws SvcError `keys_unreadable` */
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
