import type {Sender, SenderWorld, TargetKind} from '../platforms/target-kind.ts';

/** The sender of a kind for its settings: loaded with the first text, made anew when the settings are others. */
export type Senders = (kind: TargetKind, settings: unknown) => Promise<Sender<unknown>>;

export function createSenders(world: SenderWorld): Senders {
	const current = new Map<
		TargetKind,
		{readonly settings: unknown; readonly sender: Sender<unknown>}
	>();
	return async (kind, settings) => {
		const sending = await kind.load();
		// Looked up only now: another text may have come first.
		const last = current.get(kind);
		if (last && last.settings === settings) {
			return last.sender;
		}

		const sender = sending.connect(settings, world);
		current.set(kind, {settings, sender});
		return sender;
	};
}
