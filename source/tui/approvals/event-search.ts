import type {Approval} from '../../core/approval.ts';
import {type FromEvent, searchEvent} from '../../core/approvals/from-event.ts';
import type {Host} from '../shell/shell.ts';
import type {LoadSource} from '../state/source.ts';

/** Which arguments of a request that waits stand in its event; the key is its number. */
const eventSearches: LoadSource<readonly FromEvent[]> = {
	async load(port, key) {
		const approval = port.getState().approvals.find(({id}) => String(id) === key);
		return approval ? searchEvent(approval, async id => port.getDelivery(id)) : [];
	},
};

/** Begins to look for the arguments of a request in its event, where it has one. */
export const lookIntoEvent = (
	{loader}: Host,
	{id, kind, delivery}: Pick<Approval, 'id' | 'kind' | 'delivery'>,
): void => {
	if (kind === 'tool' && delivery !== undefined) {
		loader(eventSearches).want(String(id), {kind: 'steady', ms: 0});
	}
};

/** What became of the search for a request. */
export type InEvent = {
	readonly fromEvent: readonly FromEvent[];
	/** It has not ended: what it finds is to be seen before anything is allowed. */
	readonly isLooking: boolean;
};

const nothing: readonly FromEvent[] = [];

/** What was found for the request; nothing before, and where it could not be looked for. */
export function foundInEvent({loader}: Host, id: number): InEvent {
	const loaded = loader(eventSearches).get();
	const isOfIt = loaded.key === String(id);
	return {
		fromEvent: isOfIt && loaded.status === 'ready' ? loaded.value : nothing,
		isLooking: isOfIt && loaded.status === 'loading',
	};
}
