import type {CallerOrigin} from '../core/origin.ts';
import type {RunPlan} from '../core/run.ts';
import type {Lease} from './port.ts';

/** Turns of chats, as the journal has them. */
export type Chats = {
	/**
	 * Durably writes down a turn of a chat that begins now, as a run that is leased already. Somebody waits for it at an open connection: it waits for no place, and is never run again. A lease of it that is
	 * lost ends it as `failed`.
	 * @throws SvcError `journal_unavailable`
	 */
	beginChat(
		turn: {readonly profile: string; readonly origin: CallerOrigin; readonly plan: RunPlan},
		leaseMs: number,
	): Promise<Lease>;
};
