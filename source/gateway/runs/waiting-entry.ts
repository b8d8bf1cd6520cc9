import type {Approval} from '../../core/approval.ts';
import type {TranscriptEntry} from '../../core/run.ts';

/** What a run's transcript says of a call, or a form, that waits for a person. */
export function waitingEntry(approval: Approval): TranscriptEntry {
	const {id, requestedAt, deadline} = approval;
	const seconds = Math.round((deadline - requestedAt) / 1000);
	const [what, how, data] =
		approval.kind === 'tool'
			? [
					`call of ${approval.tool.name}`,
					`svc approvals allow ${id}`,
					{
						tool: approval.tool.name,
						...(approval.tool.server !== undefined && {server: approval.tool.server}),
					},
				]
			: [`form of tool server "${approval.server}"`, 'open svc', {server: approval.server}];
	return {
		at: requestedAt,
		kind: 'note',
		text: `The ${what} waits for a person: ${how}; without an answer it is denied after ${seconds} s`,
		data: {approval: id, ...data},
	};
}
