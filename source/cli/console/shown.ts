import type {Gateway} from '../../gateway/gateway.ts';
import type {GatewayPort} from '../../gateway/port.ts';
import type {FirstRunCard} from '../../tui/commands/first-run.ts';
import type {Context} from './context.ts';
import type {AskedToStop} from './signals.ts';

/** What a face of this process shows, and what ends it. */
export type Shown = {
	readonly context: Context;
	readonly port: GatewayPort;
	/** Absent: `port` is that of another process. */
	readonly gateway: Gateway | undefined;
	readonly firstRun: FirstRunCard | undefined;
	/** Goes on behind the screen, which ends when it rejects. */
	readonly begun?: Promise<void>;
	readonly stop: AskedToStop;
	/** The gateway never outlives what shows it. */
	readonly endsWithFace: boolean;
};
