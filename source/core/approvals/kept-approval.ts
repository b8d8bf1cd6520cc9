import type {Approval} from '../approval.ts';

/** Arguments above this are not kept once a call is settled, bytes of UTF-8. */
const maxKeptBytes = 64 * 1024;

/** An approval as histories and the events of settlements have it: without arguments above 64 KiB, and without those of the call before. */
export function keptApproval(approval: Approval): Approval {
	if (approval.kind === 'form') {
		return approval;
	}

	const {lastArgs: _, ...kept} = approval;
	return kept.argsBytes > maxKeptBytes ? {...kept, args: null} : kept;
}
