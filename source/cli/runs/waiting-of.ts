import type {Approval} from '../../core/approval.ts';
import type {Records} from '../home/gateway-access.ts';

/** More never wait. */
const maxWaiting = 200;

/** The approvals that wait: what is said of a run that waits for one. */
export const waitingOf = async ({approvals}: Records): Promise<readonly Approval[]> =>
	approvals.list({state: 'waiting', limit: maxWaiting});
