import {homePaths} from '../../source/config/home-paths.ts';
import {systemClock} from '../../source/core/clock.ts';
import {startGateway} from '../../source/gateway/gateway.ts';

/** A gateway of the home in argv, with the variables behind it as JSON, in a process of its own: prints where its receiver listens and goes on until it is killed. */
const gateway = startGateway({
	clock: systemClock,
	paths: homePaths({environment: {SVC_HOME: process.argv[2] ?? ''}}),
	environment: {API_ENABLED: 'false', ...JSON.parse(process.argv[3] ?? '{}')},
	version: '0.0.0-test',
	localServers: [],
});
await gateway.started;
const {webhook} = gateway.port.getState();
process.stdout.write(`${webhook.state === 'listening' ? webhook.url : webhook.state}\n`);
