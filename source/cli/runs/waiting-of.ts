import type {Approval} from '../../core/approval.ts';
import type {Home} from '../home/open-home.ts';

/** More never wait. */
const maxWaiting = 200;

/** The approvals that wait: what is said of a run that waits for one. */
export const waitingOf = async (home: Home): Promise<readonly Approval[]> =>
	home.listApprovals({state: 'waiting', limit: maxWaiting});
