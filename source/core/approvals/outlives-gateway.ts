import type {ApprovalRule} from '../approval.ts';

/** Whether a rule still holds at `now`, when the gateway that kept it has ended. */
export const outlivesGateway = (
	{scope, expiresAt}: Pick<ApprovalRule, 'scope' | 'expiresAt'>,
	now: number,
): boolean => scope === 'always' && expiresAt !== undefined && now < expiresAt;
