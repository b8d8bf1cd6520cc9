import {every} from '../../core/clock.ts';
import {createMutex, createRepeat} from '../../core/mutex.ts';
import {integerOf, textOf} from '../columns.ts';
import {refillBucket, type KeyInUse, leftIn, letIn} from '../limits/key-limits.ts';
import type {KeyLimits} from '../limits/port.ts';
import {columnsOf} from './ask.ts';
import {createBatch} from './batch.ts';
import type {PostgresParts} from './parts.ts';

/** How often this member writes its use of keys and reads that of others, milliseconds: all members know it within twice that. */
const sharedMs = 500;
/** The same delay after a request holds more tokens. */
const soonMs = 50;
/** A member that has not written for this long no longer counts, milliseconds. */
const silentMs = 15_000;
/** How long the tokens used by a finished request still count as held at other members, milliseconds: until they have read the usage of the key. */
const lingerMs = 5000;
const sweepMs = 60_000;
const sweptMs = 120_000;

/** SQL that writes the use of keys by this member: keys `$1`, running requests `$2`, tokens `$3`, time `$4`, owner `$5`. */
const tell = `insert into key_hold (key, owner, running, held, seen)
	select key, $5, running, held, $4 from unnest($1::text[], $2::integer[], $3::bigint[]) as new (key, running, held) order by key
	on conflict (key, owner) do update set running = excluded.running, held = excluded.held, seen = excluded.seen`;

/** The current use of one key. Times are those of the database. */
type Use = KeyInUse & {
	/** Tokens held by requests at other members, as far as known. */
	elsewhere: number;
	lingering: Array<{readonly tokens: number; readonly until: number}>;
	/** Other members may have read this use. */
	isTold: boolean;
};

type Take = Parameters<typeof letIn>[1] & {readonly id: string};

type Taken = Awaited<ReturnType<KeyLimits['take']>>;

/**
 * `KeyLimits` across all members. While a request is admitted, the key's row in `key_rate` is locked: rates, places and the tokens that a request holds from its beginning
 * are never exceeded. `key_hold` has the requests and tokens of each member.
 */
export function createKeyLimits({
	database,
	clock,
	owner,
}: Pick<PostgresParts, 'clock' | 'database' | 'owner'>): KeyLimits & AsyncDisposable {
	const uses = new Map<string, Use>();
	const entryOf = (id: string): Use => {
		const use = uses.get(id) ?? {
			spent: 0,
			countedAt: database.now(),
			running: 0,
			held: 0,
			elsewhere: 0,
			lingering: [],
			isTold: false,
		};
		uses.set(id, use);
		return use;
	};

	/** Serialises writes: an older row must not overwrite a newer one. */
	const oneByOne = createMutex();

	/** Tokens that other members are to count as held here. */
	const heldOf = (use: Use, now: number): number => {
		use.lingering = use.lingering.filter(({until}) => until > now);
		return use.lingering.reduce((sum, {tokens}) => sum + tokens, use.held);
	};

	/** The parameters of {@link tell}. */
	const tellingOf = (ids: readonly string[], now: number) => {
		const told = ids.map(entryOf);
		return [ids, told.map(({running}) => running), told.map(use => heldOf(use, now)), now, owner];
	};

	const take = createBatch<Take, Taken>(
		async takes => {
			/** Undoes what earlier attempts have taken. */
			const undo: Array<() => void> = [];
			const rollBack = () => {
				for (const step of undo.splice(0)) {
					step();
				}
			};

			try {
				return await oneByOne(async () =>
					database.transact(async ({query, run, now}) => {
						rollBack();
						const ids = [...new Set(takes.map(({id}) => id))];
						const rates = await query(
							`insert into key_rate (key, spent, counted_at) select key, 0, $2 from unnest($1::text[]) as key order by key
						on conflict (key) do update set spent = key_rate.spent returning key, spent, counted_at`,
							[ids, now],
						);
						const others = await query(
							'select key, sum(running) as running, sum(held) as held from key_hold where key = any($1) and owner <> $2 and seen > $3 group by key',
							[ids, owner, now - silentMs],
						);
						for (const row of rates) {
							Object.assign(entryOf(textOf(row['key'])), {
								spent: Number(row['spent']),
								countedAt: integerOf(row['counted_at']),
								elsewhere: 0,
							});
						}

						const running = new Map<string, number>();
						for (const row of others) {
							const id = textOf(row['key']);
							entryOf(id).elsewhere = integerOf(row['held']);
							running.set(id, integerOf(row['running']));
						}

						const taken = takes.map(one => {
							const use = entryOf(one.id);
							const {held} = use;
							const answer = letIn(use, one, {elsewhere: running.get(one.id) ?? 0, now});
							if (answer.kind === 'taken') {
								const claimed = use.held - held;
								use.isTold = true;
								undo.push(() => {
									use.running -= 1;
									use.held -= claimed;
								});
							}

							return answer;
						});
						const buckets = ids.map(entryOf);
						await run(
							`with filled as (
							update key_rate set spent = new.spent, counted_at = new.counted_at
							from unnest($1::text[], $6::float8[], $7::bigint[]) as new (key, spent, counted_at) where key_rate.key = new.key
						) ${tell}`,
							[...tellingOf(ids, now), ...columnsOf(buckets, 'spent', 'countedAt')],
						);
						return taken;
					}),
				);
			} catch (error) {
				rollBack();
				throw error;
			}
		},
		{most: 128, name: database.name},
	);

	let sweptAt = clock.monotonic();
	/** Writes the use of keys by this member, and reads that of others. */
	const share = async () => {
		const now = database.now();
		const told = [...uses].filter(([, {isTold}]) => isTold);
		if (told.length > 0) {
			for (const [, use] of told) {
				// Use that begins while this is written is written the next time.
				use.isTold = use.running > 0 || heldOf(use, now) !== 0;
			}

			const rows = await database
				.query(
					`with told as (${tell}) select key, sum(held) as held from key_hold where key = any($1) and owner <> $5 and seen > $6 group by key`,
					[
						...tellingOf(
							told.map(([id]) => id),
							now,
						),
						now - silentMs,
					],
				)
				.catch((error: unknown) => {
					for (const [, use] of told) {
						use.isTold = true;
					}

					throw error;
				});
			const elsewhere = new Map(rows.map(row => [textOf(row['key']), integerOf(row['held'])]));
			for (const [id, use] of told) {
				use.elsewhere = elsewhere.get(id) ?? 0;
			}
		}

		if (clock.monotonic() - sweptAt >= sweepMs) {
			sweptAt = clock.monotonic();
			await database.run('delete from key_hold where seen < $1', [now - sweepMs]);
			// A bucket that was not used for two minutes is full.
			await database.run('delete from key_rate where counted_at < $1', [now - sweptMs]);
		}
	};

	// After a failed write, the next one covers it.
	const shareNow = createRepeat(async () => share().catch(() => {}), oneByOne);
	const stop = every(clock, sharedMs, shareNow);
	/** After a request holds more tokens, shares that sooner, and learns what other members hold. */
	let cancelSoon: (() => void) | undefined;
	const shareSoon = () => {
		cancelSoon ??= clock.after(soonMs, () => {
			cancelSoon = undefined;
			void shareNow();
		});
	};

	return {
		async take(id, key, claim) {
			if (key.rpm === undefined && key.parallel === undefined && !claim) {
				entryOf(id).running += 1;
				return {kind: 'taken'};
			}

			return take({id, key, claim});
		},
		release(id, used) {
			const use = uses.get(id);
			if (use) {
				use.running -= 1;
				if (used > 0 && use.isTold) {
					use.lingering.push({tokens: used, until: database.now() + lingerMs});
				}
			}
		},
		left(id, rpm) {
			const use = entryOf(id);
			refillBucket(use, rpm, database.now());
			return leftIn(use, rpm);
		},
		held(id) {
			const use = uses.get(id);
			return use ? use.held + use.elsewhere : 0;
		},
		hold(id, tokens) {
			const use = uses.get(id);
			if (use) {
				use.held += tokens;
				if (tokens > 0 && use.isTold) {
					shareSoon();
				}
			}
		},
		forget: id => uses.delete(id),
		async [Symbol.asyncDispose]() {
			stop();
			cancelSoon?.();
			await oneByOne(async () => {});
			await database.run('delete from key_hold where owner = $1', [owner]).catch(() => {});
		},
	};
}
