import type {ApprovalRule} from '../approval.ts';

/** Whether a rule still holds at `now`, when the gateway that kept it has ended. */
export const outlivesGateway = (
	{scope, expiresAt, file}: Pick<ApprovalRule, 'scope' | 'expiresAt' | 'file'>,
	now: number,
): boolean =>
	scope === 'always' &&
	// One that stands in a file ends with its line.
	(file !== undefined || (expiresAt !== undefined && now < expiresAt));
