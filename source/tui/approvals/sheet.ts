import type {Approval, ApprovalScope} from '../../core/approval.ts';
import {type FromEvent, searchEvent} from '../../core/approvals/from-event.ts';
import type {Safe} from '../../core/untrusted.ts';
import type {LineText} from '../../terminal/text/line-editor.ts';
import type {FormState} from '../forms/form.ts';
import type {Host} from '../shell/shell.ts';
import type {LoadSource} from '../state/source.ts';
import type {Size} from '../state/view.ts';
import type {RuleAnswer, RuleChoice} from './rule-step.ts';
import type {SeenParts} from './seen-rows.ts';

/** The current step of the sheet. */
export type SheetStep =
	| {readonly kind: 'choose'}
	/** Before `scope` is allowed, the tool's name must be typed. */
	| {
			readonly kind: 'name';
			readonly scope: ApprovalScope;
			/** What the stored rule would cover. */
			readonly rule?: RuleAnswer;
			readonly text: LineText;
	  }
	/** A rule is being built. */
	| (RuleChoice & {readonly kind: 'rule'; readonly cursor: number})
	/** Shows the lines to write into the configuration by hand, because no face may make this rule. */
	| {readonly kind: 'by-hand'}
	/** The reason for a denial, told to the agent. */
	| {readonly kind: 'reason'; readonly text: LineText}
	/** The next key denies everything that waits. */
	| {
			readonly kind: 'deny-all';
			/** The form as filled in so far. */
			readonly form?: FormState;
	  }
	| {readonly kind: 'form'; readonly form: FormState};

/** The sheet on which a person decides; only one is open at a time. */
export type Sheet = {
	/** `Approval.id`. */
	readonly id: number;
	readonly step: SheetStep;
	/** The first visible row. */
	readonly top: number;
	/** Which rows have been on the screen. */
	readonly seen: SeenParts;
	/** Everything was opened in the pager. */
	readonly wasPaged: boolean;
	/** Why the last key press allowed nothing; cleared by the next key. */
	readonly refused?: Safe | undefined;
	/** `Approval.id` if a pane opened the sheet for one request: answering it returns to the pane. Absent: all waiting requests are shown in turn. */
	readonly only?: number;
};

/** A sheet in its initial state. */
export const newSheet = (id: number, step: SheetStep, only?: number): Sheet => ({
	id,
	step,
	top: 0,
	seen: {},
	wasPaged: false,
	...(only !== undefined && {only}),
});

/** The guard's name for the sheet as shown; under another name it must be drawn again before a key may allow. */
export const sheetName = ({id, step}: Sheet, {columns, rows}: Size): string =>
	`${id} ${step.kind} ${step.kind === 'form' && step.form.editing ? 'typing ' : ''}${columns}x${rows}`;

/** The scopes offered for a call. One that cannot be shown whole can be allowed only once, if at all. */
export const offeredScopes = (approval: Approval, isWhole: boolean): ReadonlySet<ApprovalScope> =>
	approval.kind === 'form' ? new Set() : new Set(isWhole ? approval.scopes : (['once'] as const));

/** Searches the event of a waiting request for the call's arguments; keyed by the request's number. */
const eventSearches: LoadSource<readonly FromEvent[]> = {
	async load(port, key) {
		const approval = port.getState().approvals.find(({id}) => String(id) === key);
		return approval ? searchEvent(approval, async id => port.getDelivery(id)) : [];
	},
};

/** Starts searching a request's event, if it has one, for the call's arguments. */
export const lookIntoEvent = (
	{loader}: Host,
	{id, kind, delivery}: Pick<Approval, 'id' | 'kind' | 'delivery'>,
): void => {
	if (kind === 'tool' && delivery !== undefined) {
		loader(eventSearches).want(String(id), {kind: 'steady', ms: 0});
	}
};

/** The state of that search. */
type InEvent = {
	readonly fromEvent: readonly FromEvent[];
	/** The search still runs. Nothing may be allowed before its result is seen. */
	readonly isLooking: boolean;
};

const nothing: readonly FromEvent[] = [];

/** The search's result for a request; empty while it runs, and if it was impossible. */
export function foundInEvent({loader}: Host, id: number): InEvent {
	const loaded = loader(eventSearches).get();
	const isOfIt = loaded.key === String(id);
	return {
		fromEvent: isOfIt && loaded.status === 'ready' ? loaded.value : nothing,
		isLooking: isOfIt && loaded.status === 'loading',
	};
}
