// The picture to play with of each lesson.
import { entropyArea, informationArea, surplusArea } from "./areas.js";
import { markovChain, mixtureOfCoins } from "./chains.js";
import { kraftBudget } from "./coding.js";
import { grownModel, smallNetwork } from "./growing.js";
import { blocksOfText, contextTable, heldOut, neverSayNever, sentences } from "./letters.js";
import { normalDensities, threeRulers, twoTogether } from "./measures.js";
import { modelOfProcess, twoAverages, twoCurves, weekOfWeather } from "./paths.js";
import { geometricMean, knowingNothing, manyExperiments, oneNumber, wordByWord } from "./steps.js";
import { typicalSequences } from "./typical.js";

export const WIDGETS = {
  information: informationArea, entropy: entropyArea, "cross-entropy": surplusArea, continuous: normalDensities, joint: twoTogether, data: heldOut, conditional: contextTable, impossible: neverSayNever,
  processes: weekOfWeather, stationary: mixtureOfCoins, averages: twoAverages, rate: markovChain, limits: twoCurves, convergence: typicalSequences, model: modelOfProcess, text: blocksOfText,
  likelihood: sentences, perplexity: geometricMean, chain: wordByWord, baseline: knowingNothing, ngram: grownModel, neural: smallNetwork, comparing: manyExperiments, units: threeRulers, codes: kraftBudget, compression: oneNumber,
};
