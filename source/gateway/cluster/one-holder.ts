import {every, createTimer} from '../../core/clock.ts';
import {messageOf} from '../../core/errors.ts';
import type {World} from '../../core/world.ts';
import type {Leases, NamedLease} from '../../store/shared-port.ts';

const leaseMs = 30_000;
const beatMs = 10_000;
/** How often a lease held by another member is requested, milliseconds. */
const lookMs = 2500;

/** Work that only one member of a cluster does at a time. */
export type AloneWork = {
	/** `isHeld`: whether the lease is still valid by the clock: in a process that was suspended, other timers may fire before the lease's own. */
	readonly start: (isHeld: () => boolean) => Promise<AsyncDisposable>;
	/** Called at each attempt that finds the lease held by another member. Must not throw. */
	readonly onOther?: () => void;
};

/**
 * Calls `start` each time this member gets `lease`; ends the work when the lease is lost, or when this is disposed of, which releases the lease. After a failed renewal the
 * work goes on until the lease has expired.
 */
export function holdAlone(
	{clock, log}: Pick<World, 'clock' | 'log'>,
	lease: ReturnType<Leases>,
	{start, onOther = () => {}}: AloneWork,
) {
	let held: {readonly lease: NamedLease; readonly work: AsyncDisposable} | undefined;
	let keptAt = clock.monotonic();
	const runsOut = createTimer(clock);

	const end = async () => {
		const last = held;
		held = undefined;
		runsOut.cancel();
		try {
			await last?.work[Symbol.asyncDispose]();
		} catch (error) {
			log.error(`Cannot end what one gateway does for all: ${messageOf(error)}`);
		}

		return last;
	};

	/** Ends the work when the lease expires, even if the store is unreachable: another gateway may have the lease by then. */
	const keep = (askedAt: number) => {
		keptAt = askedAt;
		runsOut.set(Math.max(0, leaseMs - (clock.monotonic() - askedAt)), () => {
			void end();
		});
	};

	const isInTime = () => clock.monotonic() - keptAt < leaseMs;

	const take = async () => {
		const askedAt = clock.monotonic();
		const taken = await lease.take(leaseMs).catch(() => undefined);
		if (!taken) {
			onOther();
			return;
		}

		try {
			keptAt = askedAt;
			held = {lease: taken, work: await start(isInTime)};
			keep(askedAt);
		} catch (error) {
			log.error(`Cannot begin what one gateway does for all: ${messageOf(error)}`);
			await taken.release().catch(() => {});
		}
	};

	const beat = async (holding: NonNullable<typeof held>) => {
		const askedAt = clock.monotonic();
		if (askedAt - keptAt < beatMs) {
			return;
		}

		const isKept = await holding.lease.beat(leaseMs).catch(() => undefined);
		if (held === holding && isKept === true) {
			keep(askedAt);
		} else if (held === holding && isKept === false) {
			await end();
		}
	};

	const look = async () => (held ? beat(held) : take());
	const looked = look();
	let looking = looked;
	const stop = every(clock, lookMs, async () => {
		looking = looking.then(look);
		await looking;
	});
	return {
		/** Resolves after the first attempt to get the lease. */
		looked,
		get isHeld() {
			return held !== undefined;
		},
		async [Symbol.asyncDispose]() {
			stop();
			await looking;
			const last = await end();
			runsOut[Symbol.dispose]();
			// A lease that cannot be released runs out.
			await last?.lease.release().catch(() => {});
		},
	};
}
