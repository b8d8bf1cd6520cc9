import {configureGlobal, readConfigureGlobal} from 'fast-check';
import {runSeed} from './helpers/random.ts';

configureGlobal({...readConfigureGlobal(), seed: runSeed});
