import type {ConnectFailure} from '../wire/open-transport.ts';
import type {ServerState} from './state.ts';

/** Why a server in this state has no connection that a call could use. */
export function whyNot(state: ServerState): ConnectFailure {
	switch (state.status) {
		case 'needs login': {
			return {kind: 'needs-login', message: state.reason};
		}

		case 'parked':
		case 'failed':
		case 'recycled': {
			return {kind: 'passing', message: state.reason};
		}

		case 'skipped': {
			return {kind: 'permanent', message: 'It is switched off'};
		}

		case 'lazy':
		case 'connecting':
		case 'connected': {
			return {kind: 'passing', message: 'The connection was ended'};
		}
	}
}
